#include "ns/quantization/eager/module_observers.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/decompose_layers.h"
#include "ns/quantization/eager/module_qconfig.h"
#include "passes/quantization/observe/observer_object.h"
#include "passes/quantization/qconfig/default_observers.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/observer.h"

namespace ns {
namespace {

using ::torch::jit::Module;

bool IsFunctional(absl::string_view type) {
  return IsTypeNamed(type, "FloatFunctional") ||
         IsTypeNamed(type, "QFunctional");
}

// The fake quantization of what a module of this type gives in training.
std::optional<ObserverSpec> FixedFakeQuant(absl::string_view type) {
  constexpr absl::string_view kActivations = "torch.nn.modules.activation.";
  for (const absl::string_view name : {"Hardsigmoid", "Sigmoid", "Softmax"}) {
    if (IsTypeNamed(type, absl::StrCat(kActivations, name))) {
      return DefaultFixedQParamsRange0To1FakeQuant();
    }
  }
  if (IsTypeNamed(type, absl::StrCat(kActivations, "Tanh"))) {
    return DefaultFixedQParamsRangeNeg1To1FakeQuant();
  }
  return std::nullopt;
}

// Error: a stub that was traced. torch.jit.trace leaves out what hands its
// input on, so that nothing tells where quantized values begin.
absl::Status CheckStub(const Module& module, const std::string& path) {
  const auto forward = module.find_method("forward");
  const bool is_traced =
      IsTypeNamed(TypeNameOf(module), "QuantStub") && forward &&
      forward->graph()->outputs()[0]->type()->kind() == c10::TypeKind::NoneType;
  return is_traced
             ? absl::InvalidArgumentError(absl::StrCat(
                   "module '", path,
                   "' was traced, which drops what stubs do; save the model "
                   "with torch.jit.script"))
             : absl::OkStatus();
}

class ObserverAdder {
 public:
  ObserverAdder(ModuleEditor& editor, const AddObserversOptions& options)
      : editor_(editor), options_(options) {}

  absl::Status Run() {
    NS_RETURN_IF_ERROR(Visit(editor_.root(), ""));
    return editor_.Swap(functionals_);
  }

 private:
  absl::Status Visit(const Module& module, const std::string& path) {
    const std::string type = TypeNameOf(module);
    bool has_children = false;
    for (const auto& child : module.named_children()) {
      has_children = true;
      if (seen_.insert(child.value._ivalue().get()).second) {
        NS_RETURN_IF_ERROR(VisitChild(child.value, JoinPath(path, child.name)));
      }
    }
    return !has_children &&
                   !IsTypeNamed(type,
                                "torch.nn.modules.container.Sequential") &&
                   IsTypeListed(type, options_.observed_types)
               ? Observe(module, path)
               : absl::OkStatus();
  }

  absl::Status VisitChild(const Module& child, const std::string& path) {
    const std::string type = TypeNameOf(child);
    if (IsTypeNamed(type, "torch.nn.modules.dropout.Dropout")) {
      return absl::OkStatus();
    }
    if (IsFunctional(type)) {
      return ObserveFunctional(child, path);
    }
    if (IsFusedModule(type) || IsTypeListed(type, options_.non_leaf_types)) {
      return Observe(child, path);
    }
    if (const auto fixed = FixedFakeQuant(type); fixed && child.is_training()) {
      return Observe(child, path, fixed);
    }
    for (const auto& [custom, factory] : options_.custom_modules) {
      if (IsTypeNamed(type, custom)) {
        return ReplaceCustom(child, path, factory);
      }
    }
    // One that DecomposeLayers has left: its activations are not quantized.
    if (IsDecomposed(type)) {
      return absl::OkStatus();
    }
    return Visit(child, path);
  }

  // The object that observes `module`; absent when nothing does.
  absl::StatusOr<std::optional<ObserverSpec>> SpecFor(
      const Module& module, const std::string& path) const {
    NS_ASSIGN_OR_RETURN(const OptionalQConfig qconfig,
                        Annotated(path, QConfigOf(module)));
    return qconfig ? std::make_optional(qconfig->activation) : std::nullopt;
  }

  absl::Status Observe(const Module& module, const std::string& path,
                       const std::optional<ObserverSpec>& special = {}) {
    NS_ASSIGN_OR_RETURN(std::optional<ObserverSpec> spec,
                        SpecFor(module, path));
    if (!spec || IsTypeNamed(TypeNameOf(module), "DeQuantStub")) {
      return absl::OkStatus();
    }
    NS_RETURN_IF_ERROR(CheckStub(module, path));
    const bool observes_input = IsMemoryless(*spec);
    if (special) {
      spec = special;
    }
    NS_ASSIGN_OR_RETURN(const c10::IValue observer,
                        Annotated(path, MakeObserverObject(*spec)));
    return observes_input
               ? editor_.HookInput(path, kObserverAttribute, observer)
               : editor_.HookOutput(path, kObserverAttribute, observer);
  }

  absl::Status ObserveFunctional(const Module& module,
                                 const std::string& path) {
    NS_ASSIGN_OR_RETURN(const std::optional<ObserverSpec> spec,
                        SpecFor(module, path));
    if (!spec) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(functionals_[JoinPath(path, kObserverAttribute)],
                        Annotated(path, MakeObserverObject(*spec)));
    return absl::OkStatus();
  }

  absl::Status ReplaceCustom(const Module& module, const std::string& path,
                             const ModuleFactory& factory) {
    NS_ASSIGN_OR_RETURN(const OptionalQConfig qconfig,
                        Annotated(path, QConfigOf(module)));
    if (!qconfig) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(const Module observed,
                        Annotated(path, factory(module)));
    NS_RETURN_IF_ERROR(editor_.Swap({{path, observed._ivalue()}}));
    NS_RETURN_IF_ERROR(SetQConfig(editor_, path, qconfig));
    NS_ASSIGN_OR_RETURN(const Module placed, editor_.At(path));
    return Observe(placed, path);
  }

  ModuleEditor& editor_;
  const AddObserversOptions& options_;
  // What takes the place of the Identities that FloatFunctionals call: all at
  // once, as swapping goes through the code of the whole model.
  std::map<std::string, c10::IValue> functionals_;
  std::set<const c10::ivalue::Object*> seen_;
};

absl::Status CheckDevices(const Module& module) {
  std::set<std::string> devices;
  for (const at::Tensor& tensor : module.parameters()) {
    devices.insert(tensor.device().str());
  }
  return devices.size() <= 1
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat(
                   "the model has parameters on ", *devices.begin(), " and ",
                   *devices.rbegin(), "; move it to one device"));
}

// Whether users bring what takes the place of modules of `type`.
bool HasCustom(const AddObserversOptions& options, absl::string_view type) {
  return std::any_of(
      options.custom_modules.begin(), options.custom_modules.end(),
      [&](const auto& custom) { return IsTypeNamed(type, custom.first); });
}

bool CallsObserver(const Module& module) {
  const auto reads_observer = [](const torch::jit::Node* node) {
    return node->kind() == c10::prim::GetAttr &&
           node->s(c10::attr::name) == kObserverAttribute;
  };
  const std::vector<torch::jit::Function*> methods = module.type()->methods();
  return std::any_of(
      methods.begin(), methods.end(), [&](torch::jit::Function* method) {
        return AnyNode(torch::jit::toGraphFunction(*method).graph()->block(),
                       reads_observer);
      });
}

}  // namespace

bool IsMemoryless(const ObserverSpec& spec) {
  return (spec.config.kind == ObserverKind::kMovingAverageMinMax ||
          spec.config.kind == ObserverKind::kMovingAveragePerChannelMinMax) &&
         spec.config.averaging_constant == 1;
}

absl::Status AddObservers(ModuleEditor& editor,
                          const AddObserversOptions& options) {
  NS_RETURN_IF_ERROR(CheckDevices(editor.root()));
  NS_RETURN_IF_ERROR(DecomposeLayers(editor, [&](absl::string_view type) {
    return HasCustom(options, type);
  }));
  return ObserverAdder(editor, options).Run();
}

absl::StatusOr<ObservedOutput> AskModule(const Module& module) {
  ObserverPtr observer = module.hasattr(kObserverAttribute)
                             ? ObserverIn(module.attr(kObserverAttribute))
                             : ObserverPtr();
  if (observer == nullptr) {
    return absl::InvalidArgumentError(
        "it has no observer; call Prepare with a qconfig for it first");
  }
  const ObserverConfig& config = observer->config();
  ObservedOutput output;
  output.has_seen = observer->seen().least_rank >= 0;
  output.is_called = CallsObserver(module);
  output.value = AskObserver(observer);
  if (config.kind == ObserverKind::kFixedQParams) {
    output.has_seen = true;
    output.value.qparams = {config.scale, config.zero_point};
  } else if (output.has_seen) {
    NS_RETURN_IF_ERROR(output.value.status);
  }
  return output;
}

absl::Status RemoveObservers(ModuleEditor& editor) {
  std::vector<std::string> observed;
  for (const std::string& path : editor.Paths()) {
    NS_ASSIGN_OR_RETURN(const Module module, editor.At(path));
    if (module.hasattr(kObserverAttribute) &&
        ObserverIn(module.attr(kObserverAttribute)) != nullptr) {
      observed.push_back(path);
    }
  }
  return editor.Unhook(observed, kObserverAttribute);
}

ObserverDict GetObserverDict(const Module& module, absl::string_view prefix) {
  ObserverDict observers;
  for (const auto& named : module.named_modules()) {
    const c10::IValue object = named.value.hasattr(kObserverAttribute)
                                   ? named.value.attr(kObserverAttribute)
                                   : c10::IValue();
    const ObserverPtr observer = ObserverIn(object);
    if (observer == nullptr) {
      continue;
    }
    const std::string path =
        JoinPath(JoinPath(prefix, named.name), kObserverAttribute);
    observers.emplace_back(path, object);
    // That of a fake quantization.
    if (object.type() != c10::getTypePtr<ObserverPtr>()) {
      observers.emplace_back(JoinPath(path, kObserverAttribute), observer);
    }
  }
  return observers;
}

}  // namespace ns
