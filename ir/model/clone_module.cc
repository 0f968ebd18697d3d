#include "ir/model/clone_module.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace ns {
namespace {

using ::torch::jit::CompilationUnit;
using ::torch::jit::Module;

// Returns an object of the same class that belongs to `unit`, and so do the
// modules below it: Module::clone puts its copy into the unit of the object.
Module InUnit(const Module& module,
              const std::shared_ptr<CompilationUnit>& unit) {
  const Module copy(unit, module.type());
  for (size_t i = 0; i < module.type()->numAttributes(); ++i) {
    const c10::IValue& value = module._ivalue()->getSlot(i);
    copy._ivalue()->setSlot(
        i, value.isModule()
               ? c10::IValue(InUnit(value.toModule(), unit)._ivalue())
               : value);
  }
  return copy;
}

// Keeps the unit of `module` alive as long as `unit`, by an object without
// attributes that a function of `unit` has as a constant. Nothing calls it, and
// no file has it.
void KeepUnit(const Module& module, CompilationUnit& unit) {
  auto holder = c10::ivalue::Object::create(
      c10::StrongTypePtr(module._ivalue()->compilation_unit(), module.type()),
      0);
  auto graph = std::make_shared<torch::jit::Graph>();
  torch::jit::Node* const constant =
      graph->insertNode(graph->create(c10::prim::Constant));
  constant->ival_(c10::attr::value, c10::IValue(std::move(holder)));
  unit.create_function(c10::QualifiedName("__torch__.ns_unit_of_original"),
                       std::move(graph));
}

}  // namespace

Module CloneModule(const Module& module) {
  const auto unit = std::make_shared<CompilationUnit>();
  Module copy = InUnit(module, unit).clone(/*inplace=*/true);
  KeepUnit(module, *unit);
  return copy;
}

}  // namespace ns
