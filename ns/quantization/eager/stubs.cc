#include "ns/quantization/eager/stubs.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/module_path.h"
#include "ir/hierarchy/make_module.h"
#include "ir/model/forward_hooks.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/module_qconfig.h"

namespace ns {
namespace {

using ::torch::jit::Module;

Module HandsOn(absl::string_view class_name) {
  Module module = NewModule(class_name);
  const absl::Status defined =
      DefineMethods(module,
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return x\n");
  TORCH_INTERNAL_ASSERT(defined.ok(), std::string(defined.message()));
  return module;
}

// Gives `module` the qconfig that `from` has, unless it has one.
void InheritQConfig(const Module& from, Module module) {
  if (from.hasattr(kQConfigAttribute) && !module.hasattr(kQConfigAttribute)) {
    module.register_attribute(kQConfigAttribute, c10::StringType::get(),
                              from.attr(kQConfigAttribute));
  }
}

bool IsStub(absl::string_view type) {
  return IsTypeNamed(type, "QuantStub") || IsTypeNamed(type, "DeQuantStub");
}

// Whether AddQuantDequant puts `module` into a wrapper.
absl::StatusOr<bool> IsWrapped(const Module& module) {
  NS_ASSIGN_OR_RETURN(const OptionalQConfig qconfig, QConfigOf(module));
  return qconfig && module.named_children().size() == 0 &&
         !IsStub(TypeNameOf(module));
}

}  // namespace

Module Identity() { return HandsOn("torch.nn.modules.linear.Identity"); }

Module QuantStub() { return HandsOn("torch.ao.quantization.stubs.QuantStub"); }

Module DeQuantStub() {
  return HandsOn("torch.ao.quantization.stubs.DeQuantStub");
}

absl::StatusOr<Module> QuantWrapper(const Module& module) {
  if (!ForwardHooks(*module.type()).empty()) {
    return absl::InvalidArgumentError(
        "the module has forward hooks, which a wrapper would not run; put the "
        "stubs into its code");
  }
  Module wrapper = NewModule("torch.ao.quantization.stubs.QuantWrapper");
  const Module quant = QuantStub();
  const Module dequant = DeQuantStub();
  InheritQConfig(module, quant);
  InheritQConfig(module, dequant);
  for (Module each : {wrapper, quant, dequant}) {
    each.setattr("training", module.is_training());
  }
  wrapper.register_module("quant", quant);
  wrapper.register_module("dequant", dequant);
  wrapper.register_module("module", module);
  NS_RETURN_IF_ERROR(Annotated(
      "the module must take and return one tensor",
      DefineMethods(
          wrapper,
          "def forward(self, X: Tensor) -> Tensor:\n"
          "    quantized = self.module.forward(self.quant.forward(X))\n"
          "    return self.dequant.forward(quantized)\n")));
  return wrapper;
}

absl::StatusOr<Module> AddQuantDequant(const Module& module) {
  NS_ASSIGN_OR_RETURN(ModuleEditor editor, ModuleEditor::Copy(module));
  const Module root = editor.root();
  NS_ASSIGN_OR_RETURN(const bool is_wrapped, IsWrapped(root));
  if (is_wrapped) {
    return QuantWrapper(root);
  }
  NS_RETURN_IF_ERROR(AddQuantDequant(editor));
  return editor.root();
}

absl::Status AddQuantDequant(ModuleEditor& editor) {
  std::map<std::string, c10::IValue> wrappers;
  for (const std::string& path : editor.Paths()) {
    NS_ASSIGN_OR_RETURN(const Module module, editor.At(path));
    NS_ASSIGN_OR_RETURN(const bool is_wrapped,
                        Annotated(path, IsWrapped(module)));
    if (!is_wrapped) {
      continue;
    }
    if (path.empty()) {
      return absl::InvalidArgumentError(
          "the model has no modules inside; use QuantWrapper instead");
    }
    NS_ASSIGN_OR_RETURN(
        const Module wrapper,
        Annotated(absl::StrCat("module '", path, "'"), QuantWrapper(module)));
    InheritQConfig(module, wrapper);
    wrappers[path] = wrapper._ivalue();
  }
  return editor.Swap(wrappers);
}

}  // namespace ns
