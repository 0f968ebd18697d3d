#include "ns/quantization/eager/quantized_module.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/verifier.h"
#include "ir/hierarchy/make_module.h"
#include "ir/hierarchy/module_editor.h"
#include "ir/hierarchy/module_fields.h"
#include "ir/model/model_graph.h"
#include "ns/quantization/eager/constant_attributes.h"
#include "ns/quantization/eager/layer_code.h"
#include "ns/quantization/eager/module_observers.h"
#include "ns/quantization/eager/qat_module.h"
#include "ns/quantization/eager/quantized_types.h"
#include "ns/quantization/eager/stubs.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/qconfig/default_observers.h"
#include "passes/runtime/observers/fake_quantize_weight.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// The field `name` of `module`, or of the first part of a fused module.
std::optional<c10::IValue> LayerField(const Module& module,
                                      const std::string& name) {
  auto field = FieldOf(module, name);
  if (!field && module.hasattr("0") && module.attr("0").isModule()) {
    return LayerField(module.attr("0").toModule(), name);
  }
  return field;
}

class Maker {
 public:
  Maker(const Module& module, const QuantizedType& type, const QConfig& qconfig,
        ObserverPtr trained_weight, std::vector<std::string>* warnings)
      : module_(module),
        type_(type),
        qconfig_(qconfig),
        trained_weight_(std::move(trained_weight)),
        warnings_(warnings),
        made_(NewModule(type.name)) {}

  absl::StatusOr<Module> Make() {
    if (type_.qparams != QParamsForm::kNone) {
      NS_RETURN_IF_ERROR(ReadObserver());
    }
    AddFields();
    switch (type_.source) {
      case CodeSource::kScript:
        NS_RETURN_IF_ERROR(AddQuantizedWeight());
        NS_RETURN_IF_ERROR(DefineScript());
        break;
      case CodeSource::kFunctional:
        NS_RETURN_IF_ERROR(DefineFunctions());
        break;
      case CodeSource::kQuantizeLayer:
      case CodeSource::kDynamicLayer:
      case CodeSource::kTable:
        NS_RETURN_IF_ERROR(QuantizeCode());
        break;
    }
    return made_;
  }

 private:
  absl::Status ReadObserver() {
    NS_ASSIGN_OR_RETURN(const ObservedOutput observed, AskModule(module_));
    if (!observed.has_seen && observed.is_called && warnings_ != nullptr) {
      warnings_->push_back(
          "its observer has seen no value; its output gets the scale 1 and the "
          "zero point 0");
    }
    output_ = {observed.value.qparams.scale, observed.value.qparams.zero_point,
               observed.value.observer->config().dtype};
    return absl::OkStatus();
  }

  // Attributes that do not depend on the code.
  void AddFields() {
    for (const std::string& name : type_.copied) {
      if (const auto value = LayerField(module_, name)) {
        made_.register_attribute(name, value->type(), *value);
      }
    }
    for (const auto& [name, value] : type_.fixed) {
      made_.register_attribute(name, value.type(), value);
    }
    if (type_.has_output_dtype) {
      made_.register_attribute("dtype", c10::IntType::get(),
                               static_cast<int64_t>(output_.dtype));
    }
    const at::Tensor scale = at::scalar_tensor(output_.scale, at::kFloat);
    const at::Tensor zero_point =
        at::scalar_tensor(output_.zero_point, at::kLong);
    switch (type_.qparams) {
      case QParamsForm::kNone:
        break;
      case QParamsForm::kNumbers:
        made_.register_attribute("scale", c10::FloatType::get(), output_.scale);
        made_.register_attribute("zero_point", c10::IntType::get(),
                                 output_.zero_point);
        break;
      case QParamsForm::kScalars:
        made_.register_buffer("scale", scale);
        made_.register_buffer("zero_point", zero_point);
        break;
      case QParamsForm::kVectors:
        made_.register_buffer("scale", scale.reshape({1}));
        made_.register_buffer("zero_point", zero_point.reshape({1}));
        break;
    }
    if (type_.keeps_tensors) {
      KeepTensors(module_);
    }
  }

  // The script, with what the float op is given.
  absl::StatusOr<std::string> Script() const {
    const bool is_qnnpack =
        at::globalContext().qEngine() == at::QEngine::QNNPACK;
    if (is_qnnpack && !type_.qnnpack_script.empty()) {
      return type_.qnnpack_script;
    }
    if (type_.constants.empty()) {
      return type_.script;
    }
    NS_ASSIGN_OR_RETURN(const ModuleEditor copy, Unobserved());
    NS_ASSIGN_OR_RETURN(const ModelGraph flat,
                        ModelGraph::FromModule(copy.root()));
    NS_ASSIGN_OR_RETURN(const FloatSubgraph layer, OneLayer(flat.graph()));
    std::string script = type_.script;
    for (const std::string& name : type_.constants) {
      const auto constant = ConstantArgument(*layer.subgraph.base, name);
      if (!constant || !constant->isScalar()) {
        return absl::InvalidArgumentError(
            absl::StrCat("its ", name, " is not a constant number"));
      }
      // Reads back to the bit.
      const std::string text =
          constant->isInt() ? absl::StrCat(constant->toInt())
                            : absl::StrFormat("%.17e", constant->toDouble());
      script =
          absl::StrReplaceAll(script, {{absl::StrCat("{", name, "}"), text}});
    }
    return script;
  }

  // A copy of the module without its observer.
  absl::StatusOr<ModuleEditor> Unobserved() const {
    NS_ASSIGN_OR_RETURN(ModuleEditor copy, ModuleEditor::Copy(module_));
    if (copy.root().hasattr(kObserverAttribute)) {
      NS_RETURN_IF_ERROR(copy.Unhook({""}, kObserverAttribute));
    }
    return copy;
  }

  // Of `module` and its parts.
  void KeepTensors(const Module& module) {
    for (const auto& parameter : module.named_parameters(/*recurse=*/false)) {
      made_.register_parameter(parameter.name, parameter.value.detach(),
                               /*is_buffer=*/false);
    }
    for (const auto& buffer : module.named_buffers(/*recurse=*/false)) {
      made_.register_buffer(buffer.name, buffer.value);
    }
    for (const auto& part : module.named_children()) {
      KeepTensors(part.value);
    }
  }

  absl::Status AddQuantizedWeight() {
    if (!type_.quantizes_weight) {
      return absl::OkStatus();
    }
    const auto weight = LayerField(module_, "weight");
    if (!weight || !weight->isTensor()) {
      return absl::InvalidArgumentError("it has no weight");
    }
    // The kernel takes one scale and quint8. It multiplies positive values with
    // what is nearest to 1 among the values that the weight can have, so 1 must
    // be one of them.
    const at::Tensor slopes = weight->toTensor().detach().reshape(-1);
    NS_ASSIGN_OR_RETURN(const at::Tensor with_one,
                        QuantizedBySpec(at::cat({slopes, at::ones({1})}),
                                        SpecOf(ObserverKind::kMinMax)));
    const at::Tensor quantized =
        with_one.slice(0, 0, slopes.numel()).contiguous();
    made_.register_attribute("weight", c10::TensorType::get(), quantized);
    return absl::OkStatus();
  }

  absl::Status DefineScript() {
    NS_ASSIGN_OR_RETURN(const std::string script, Script());
    return DefineMethods(made_, script);
  }

  // QFunctional has the methods that the code calls of its FloatFunctional.
  absl::Status DefineFunctions() {
    static const auto& scripts = *new std::map<std::string, std::string>{
        {"add",
         "(self, x: Tensor, y: Tensor)|add(x, y, self.scale, "
         "self.zero_point)"},
        {"add_relu",
         "(self, x: Tensor, y: Tensor)|add_relu(x, y, self.scale, "
         "self.zero_point)"},
        {"mul",
         "(self, x: Tensor, y: Tensor)|mul(x, y, self.scale, "
         "self.zero_point)"},
        {"cat",
         "(self, x: List[Tensor], dim: int = 0)|cat(x, dim, self.scale, "
         "self.zero_point)"},
        // The ops choose the scale by that of their input.
        {"add_scalar", "(self, x: Tensor, y: float)|add_scalar(x, y)"},
        {"mul_scalar", "(self, x: Tensor, y: float)|mul_scalar(x, y)"},
    };
    made_.register_module(kObserverAttribute, Identity());
    for (const torch::jit::Function* method : module_.type()->methods()) {
      const auto script = scripts.find(method->name());
      if (script == scripts.end()) {
        continue;
      }
      const std::vector<std::string> parts =
          absl::StrSplit(script->second, '|');
      NS_RETURN_IF_ERROR(DefineMethods(
          made_, absl::StrCat("def ", script->first, parts[0], " -> Tensor:\n",
                              "    return self.", kObserverAttribute,
                              ".forward(ops.quantized.", parts[1], ")\n")));
    }
    return absl::OkStatus();
  }

  absl::Status QuantizeFlat(ModelGraph& flat) const {
    if (type_.source == CodeSource::kQuantizeLayer) {
      return QuantizeLayerCode({qconfig_.weight, trained_weight_}, output_,
                               flat, warnings_);
    }
    QConfig qconfig = qconfig_;
    qconfig.activation = type_.source == CodeSource::kTable
                             ? PlaceholderSpec()
                             : DefaultDynamicQuantObserver();
    return QuantizeDynamicCode(qconfig, flat);
  }

  absl::Status QuantizeCode() {
    NS_ASSIGN_OR_RETURN(const ModuleEditor copy, Unobserved());
    bool has_methods = false;
    for (const torch::jit::Function* method : module_.type()->methods()) {
      // TorchScript compiles overloads of forward as forward__0, forward__1.
      if (!absl::StartsWith(method->name(), "forward")) {
        continue;
      }
      has_methods = true;
      if (type_.source == CodeSource::kQuantizeLayer) {
        AssumeNoSizes(*copy.root().get_method(method->name()).graph());
      }
      ModelGraphOptions options;
      options.method = method->name();
      NS_ASSIGN_OR_RETURN(ModelGraph flat,
                          ModelGraph::FromModule(copy.root(), options));
      NS_RETURN_IF_ERROR(QuantizeFlat(flat));
      NS_RETURN_IF_ERROR(TakeConstants(type_, qconfig_.weight.config.dtype,
                                       made_, flat.graph()));
      torch::jit::EliminateDeadCode(flat.graph().block());
      NS_RETURN_IF_ERROR(VerifyGraph(flat.graph()));
      AddMethod(made_, method->name(), flat.shared_graph()->copy(),
                method->getSchema());
    }
    return has_methods ? absl::OkStatus()
                       : absl::InvalidArgumentError("it has no method forward");
  }

  const Module& module_;
  const QuantizedType& type_;
  const QConfig& qconfig_;
  const ObserverPtr trained_weight_;
  std::vector<std::string>* const warnings_;
  OutputQuantization output_;
  Module made_;
};

// A copy of `module` with weights rounded to half precision and back, as
// `weight` says.
absl::StatusOr<Module> WithHalfWeights(const Module& module,
                                       const ObserverConfig& weight) {
  NS_ASSIGN_OR_RETURN(ModuleEditor copy, ModuleEditor::Copy(module));
  for (const std::string& path : copy.Paths()) {
    NS_ASSIGN_OR_RETURN(Module part, copy.At(path));
    for (const auto& attribute : part.named_attributes(/*recurse=*/false)) {
      if (attribute.value.isTensor() &&
          absl::StartsWith(attribute.name, "weight")) {
        part.setattr(
            attribute.name,
            FakeQuantizeWeight(attribute.value.toTensor().detach(), weight));
      }
    }
  }
  return copy.root();
}

}  // namespace

absl::StatusOr<Module> MakeQuantizedModule(const Module& module,
                                           absl::string_view type,
                                           const QConfig& qconfig,
                                           std::vector<std::string>* warnings) {
  const QuantizedType* quantized = FindQuantizedType(type);
  if (quantized == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no quantized module of type '", type,
        "' can be made; map to a type of GetDefaultStaticQuantModuleMappings "
        "or GetDefaultDynamicQuantModuleMappings, or give a factory"));
  }
  return CatchTorchErrors([&]() -> absl::StatusOr<Module> {
    if (quantized->source == CodeSource::kDynamicLayer &&
        ModeOf(qconfig.weight) == QuantizationMode::kHalf) {
      return WithHalfWeights(module, qconfig.weight.config);
    }
    if (IsQatModule(module)) {
      NS_ASSIGN_OR_RETURN(const TrainedLayer trained, TrainedLayerOf(module));
      return Maker(trained.module, *quantized, qconfig, trained.weight,
                   warnings)
          .Make();
    }
    return Maker(module, *quantized, qconfig, /*trained_weight=*/{}, warnings)
        .Make();
  });
}

}  // namespace ns
