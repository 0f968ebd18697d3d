#include "ir/hierarchy/make_module.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/ir/ir.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// The value `ops`, whose attributes are namespaces of operators.
class Ops final : public torch::jit::SugaredValue {
 public:
  std::string kind() const override { return "ops"; }
  std::shared_ptr<torch::jit::SugaredValue> attr(
      const torch::jit::SourceRange&, torch::jit::GraphFunction&,
      const std::string& name) override {
    return std::make_shared<torch::jit::BuiltinModule>(name);
  }
};

// Resolves the names `torch` and `ops`.
class OpsResolver final : public torch::jit::Resolver {
 public:
  std::shared_ptr<torch::jit::SugaredValue> resolveValue(
      const std::string& name, torch::jit::GraphFunction& function,
      const torch::jit::SourceRange& location) override {
    if (name == "ops") {
      return std::make_shared<Ops>();
    }
    return torch::jit::nativeResolver()->resolveValue(name, function, location);
  }
};

}  // namespace

Module NewModule(absl::string_view class_name) {
  Module module(c10::QualifiedName(absl::StrCat("__torch__.", class_name)));
  module.register_attribute("training", c10::BoolType::get(), false);
  module.register_attribute("_is_full_backward_hook",
                            c10::OptionalType::create(c10::BoolType::get()),
                            c10::IValue());
  return module;
}

Module WithClassName(const Module& module, absl::string_view class_name) {
  Module made(c10::QualifiedName(absl::StrCat("__torch__.", class_name)));
  const std::shared_ptr<c10::ClassType> type = module.type();
  for (size_t i = 0; i < type->numAttributes(); ++i) {
    const size_t slot = made.type()->addAttribute(
        type->getAttributeName(i), type->getAttribute(i), type->is_parameter(i),
        type->is_buffer(i));
    made._ivalue()->setSlot(slot, module._ivalue()->getSlot(i));
  }
  for (size_t i = 0; i < type->numConstants(); ++i) {
    made.type()->addConstant(type->getConstantName(i), type->getConstant(i));
  }
  for (const torch::jit::Function* method : type->methods()) {
    AddMethod(made, method->name(),
              torch::jit::toGraphFunction(*method).graph()->copy(),
              method->getSchema());
  }
  return made;
}

absl::Status DefineMethods(Module& module, const std::string& source) {
  return CatchTorchErrors("compiling a module", [&] {
    module.define(source, std::make_shared<OpsResolver>());
  });
}

void AddMethod(Module& module, const std::string& name,
               std::shared_ptr<torch::jit::Graph> graph,
               const c10::FunctionSchema& schema) {
  graph->inputs()[0]->setType(module.type());
  torch::jit::Function* method =
      module._ivalue()->compilation_unit()->create_function(
          c10::QualifiedName(*module.type()->name(), name), std::move(graph));
  module.type()->addMethod(method);
  std::vector<c10::Argument> arguments = schema.arguments();
  arguments[0] = arguments[0].cloneWithType(module.type());
  method->setSchema(schema.cloneWithName(name, schema.overload_name())
                        .cloneWithArguments(std::move(arguments)));
}

}  // namespace ns
