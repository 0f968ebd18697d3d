#include "ns/quantization/eager/qat_module.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "ir/hierarchy/make_module.h"
#include "ir/hierarchy/module_fields.h"
#include "ir/model/model_graph.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/fold_module_norm.h"
#include "ns/quantization/eager/layer_code.h"
#include "ns/quantization/eager/module_mappings.h"
#include "ns/quantization/eager/module_observers.h"
#include "ns/quantization/eager/qat_embedding.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/int8_form.h"
#include "passes/quantization/observe/observer_object.h"
#include "passes/runtime/observers/fake_quantize.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Module;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kDynamicLinear[] =
    "torch.ao.nn.qat.dynamic.modules.linear.Linear";

// The method that computes the layer alone, from its input, weight and bias.
constexpr char kLayerMethod[] = "layer_forward";

bool HasNorm(absl::string_view type) { return absl::StrContains(type, "Bn"); }
bool HasRelu(absl::string_view type) { return absl::StrContains(type, "ReLU"); }

// The child `name` of `module`. Error: there is none.
absl::StatusOr<Module> PartOf(const Module& module, const std::string& name) {
  if (!module.hasattr(name) || !module.attr(name).isModule()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it has no part '", name, "'; fuse modules for training (qat) first"));
  }
  return module.attr(name).toModule();
}

// Gives `made` the method `layer_forward`, the code of `layer` with its weight
// and bias as arguments.
absl::Status AddLayerMethod(const Module& layer, Module& made) {
  NS_ASSIGN_OR_RETURN(const ModelGraph flat, ModelGraph::FromModule(layer));
  const std::shared_ptr<Graph> graph = flat.graph().copy();
  if (graph->inputs().size() != 2) {
    return absl::InvalidArgumentError(
        "it does not take one tensor, as a layer for training does");
  }
  NS_ASSIGN_OR_RETURN(const FloatSubgraph layer_code, OneLayer(*graph));
  Node* base = layer_code.subgraph.base;
  const int weight = PackedWeightInput(*base);
  Value* bias = InputNamed(*base, "bias");
  if (weight < 0 || bias == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(OpName(*base), " has no weight and bias to train"));
  }
  const auto maybe_tensor = c10::OptionalType::ofTensor();
  base->replaceInput(
      weight, graph->addInput("weight")->setType(c10::TensorType::get()));
  base->replaceInputWith(bias, graph->addInput("bias")->setType(maybe_tensor));
  const c10::FunctionSchema schema(
      kLayerMethod, "",
      {c10::Argument("self", made.type()), c10::Argument("input"),
       c10::Argument("weight"), c10::Argument("bias", maybe_tensor)},
      {c10::Argument("", c10::TensorType::get())});
  AddMethod(made, kLayerMethod, graph, schema);
  return absl::OkStatus();
}

// The parameters of a layer; the bias is undefined for none.
struct LayerParameters {
  at::Tensor weight;
  at::Tensor bias;
};

absl::StatusOr<LayerParameters> ParametersOf(const Module& layer) {
  LayerParameters parameters;
  for (const auto& [name, tensor] :
       {std::make_pair("weight", &parameters.weight),
        std::make_pair("bias", &parameters.bias)}) {
    if (layer.hasattr(name) && layer.attr(name).isTensor()) {
      *tensor = layer.attr(name).toTensor();
    }
  }
  if (!parameters.weight.defined()) {
    return absl::InvalidArgumentError("it has no parameter 'weight'");
  }
  return parameters;
}

void SetParameters(const LayerParameters& parameters, Module& made) {
  made.register_parameter("weight", parameters.weight, /*is_buffer=*/false);
  if (parameters.bias.defined()) {
    made.register_parameter("bias", parameters.bias, /*is_buffer=*/false);
  } else {
    made.register_attribute("bias", c10::NoneType::get(), c10::IValue());
  }
}

// Code that computes the layer as `y`.
std::string PlainScript() {
  return absl::StrCat("    y = self.", kLayerMethod, "(input, self.",
                      kWeightFakeQuantAttribute,
                      ".forward(self.weight), self.bias)\n");
}

// Code that computes the layer and its norm, whose weight has `rank`
// dimensions, as the output has.
std::string NormScript(int64_t rank, bool has_bias, double eps) {
  std::vector<int64_t> weight_shape(rank, 1);
  std::vector<int64_t> output_shape(rank, 1);
  weight_shape[0] = -1;
  output_shape[1] = -1;
  // Reads back to the bit.
  const std::string epsilon = absl::StrFormat("%.17e", eps);
  const std::string per_output =
      absl::StrCat("reshape([", absl::StrJoin(output_shape, ", "), "])");
  return absl::StrCat(
      "    s = self.bn.weight / torch.sqrt(self.bn.running_var + ", epsilon,
      ")\n",  //
      "    w = self.", kWeightFakeQuantAttribute,
      ".forward(self.weight * s.reshape([", absl::StrJoin(weight_shape, ", "),
      "]))\n",  //
      "    y = self.", kLayerMethod,
      "(input, w, torch.zeros_like(self.bn.running_var))\n"
      // A channel that the norm multiplies by 0 has no scale to take back.
      "    s = torch.where(s == 0.0, torch.ones_like(s), s)\n"
      "    y = y / s.",
      per_output, "\n",
      has_bias ? absl::StrCat("    y = y + self.bias.", per_output, "\n") : "",
      "    if self.bn.training and not self.freeze_bn:\n"
      "        y = self.bn.forward(y)\n"
      "    else:\n"
      "        y = torch.batch_norm(y, self.bn.weight, self.bn.bias, "
      "self.bn.running_mean, self.bn.running_var, False, 0.0, ",
      epsilon, ", True)\n");
}

// The eps of a batch norm module.
absl::StatusOr<double> EpsOf(const Module& norm) {
  NS_ASSIGN_OR_RETURN(const ModelGraph flat, ModelGraph::FromModule(norm));
  const Value* eps = nullptr;
  ForEachNode(flat.graph().block(), [&](Node* node) {
    if (OpName(*node) == "aten::batch_norm") {
      eps = InputNamed(*node, "eps");
    }
  });
  const auto constant = eps == nullptr ? std::nullopt : ConstantOf(*eps);
  return constant && constant->isDouble()
             ? absl::StatusOr<double>(constant->toDouble())
             : absl::InvalidArgumentError("its part '1' is no batch norm");
}

absl::Status DefineForward(Module& made, bool has_relu,
                           const std::string& body) {
  return DefineMethods(
      made,
      absl::StrCat("def forward(self, input: Tensor) -> Tensor:\n", body,
                   "    return ", has_relu ? "torch.relu(y)" : "y", "\n"));
}

absl::StatusOr<Module> Make(const Module& module, absl::string_view type,
                            const QConfig& qconfig) {
  Module layer = module;
  if (HasNorm(type) || HasRelu(type)) {
    NS_ASSIGN_OR_RETURN(layer, PartOf(module, "0"));
  }
  NS_ASSIGN_OR_RETURN(const LayerParameters parameters, ParametersOf(layer));
  Module made = NewModule(type);
  SetParameters(parameters, made);
  NS_ASSIGN_OR_RETURN(const c10::IValue fake_quant,
                      MakeObserverObject(qconfig.weight));
  made.register_attribute(kWeightFakeQuantAttribute, fake_quant.type(),
                          fake_quant);
  NS_RETURN_IF_ERROR(AddLayerMethod(layer, made));
  std::string body = PlainScript();
  if (HasNorm(type)) {
    NS_ASSIGN_OR_RETURN(const Module norm, PartOf(module, "1"));
    NS_ASSIGN_OR_RETURN(const double eps, EpsOf(norm));
    made.register_module("bn", norm);
    made.register_attribute("freeze_bn", c10::BoolType::get(), false);
    body = NormScript(parameters.weight.dim(), parameters.bias.defined(), eps);
  }
  NS_RETURN_IF_ERROR(DefineForward(made, HasRelu(type), body));
  CopyFields(layer, made);
  made.setattr("training", module.is_training());
  return made;
}

// What `fake_quant` has observed, `weight` among it where it must be.
absl::StatusOr<ObserverPtr> WeightObserver(const c10::IValue& fake_quant,
                                           const at::Tensor& weight) {
  const ObserverPtr observer = ObserverIn(fake_quant);
  if (observer == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("its ", kWeightFakeQuantAttribute, " observes nothing"));
  }
  const at::NoGradGuard no_grad;
  const bool is_observer = fake_quant.type() == c10::getTypePtr<ObserverPtr>();
  const bool is_new = observer->seen().least_rank < 0;
  if (is_observer) {
    if (is_new || observer->config().compat) {
      observer->Forward(weight.detach());
    }
    return observer;
  }
  const auto fake = fake_quant.toCustomClass<FakeQuantize>();
  if (observer->config().compat) {
    fake->Forward(weight.detach());
  } else if (is_new) {
    observer->Forward(weight.detach());
  }
  return observer;
}

// A float module of `parameters` and the code of `module`, a module for
// training, and of its ReLU if it has one and `with_relu` says so.
absl::StatusOr<Module> FloatLayer(const Module& module,
                                  const LayerParameters& parameters,
                                  bool with_relu) {
  const std::string type = TypeNameOf(module);
  Module layer = NewModule(type);
  SetParameters(parameters, layer);
  const auto method = module.get_method(kLayerMethod);
  AddMethod(layer, kLayerMethod, method.graph()->copy(),
            method.function().getSchema());
  NS_RETURN_IF_ERROR(
      DefineForward(layer, with_relu && HasRelu(type),
                    absl::StrCat("    y = self.", kLayerMethod,
                                 "(input, self.weight, self.bias)\n")));
  return layer;
}

absl::StatusOr<TrainedLayer> Trained(const Module& module) {
  if (IsQatEmbeddingType(TypeNameOf(module))) {
    NS_ASSIGN_OR_RETURN(const Module embedding, FloatEmbedding(module));
    return TrainedLayer{embedding, {}};
  }
  NS_ASSIGN_OR_RETURN(LayerParameters parameters, ParametersOf(module));
  if (HasNorm(TypeNameOf(module))) {
    if (!parameters.bias.defined()) {
      parameters.bias =
          at::zeros({parameters.weight.size(0)}, parameters.weight.options());
    }
    NS_ASSIGN_OR_RETURN(const Module norm, PartOf(module, "bn"));
    NS_ASSIGN_OR_RETURN(const Module layer,
                        FloatLayer(module, parameters, /*with_relu=*/false));
    NS_ASSIGN_OR_RETURN(const Module folded, FoldModuleNorm(layer, norm));
    NS_ASSIGN_OR_RETURN(parameters, ParametersOf(folded));
  }
  TrainedLayer trained;
  NS_ASSIGN_OR_RETURN(trained.module,
                      FloatLayer(module, parameters, /*with_relu=*/true));
  CopyFields(module, trained.module);
  if (module.hasattr(kObserverAttribute)) {
    const c10::IValue observer = module.attr(kObserverAttribute);
    trained.module.register_attribute(kObserverAttribute, observer.type(),
                                      observer);
  }
  NS_ASSIGN_OR_RETURN(trained.weight,
                      WeightObserver(module.attr(kWeightFakeQuantAttribute),
                                     parameters.weight));
  return trained;
}

}  // namespace

bool IsQatType(absl::string_view type) {
  if (IsTypeNamed(kDynamicLinear, type) || IsQatEmbeddingType(type)) {
    return true;
  }
  const ModuleMapping& mapping = GetDefaultQatModuleMappings();
  return std::any_of(mapping.begin(), mapping.end(), [&](const auto& entry) {
    return IsTypeNamed(entry.second, type);
  });
}

absl::StatusOr<Module> MakeQatModule(const Module& module,
                                     absl::string_view type,
                                     const QConfig& qconfig) {
  if (!IsQatType(type)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no module of type '", type,
        "' can be trained; map to a type of GetDefaultQatModuleMappings or "
        "GetEmbeddingQatModuleMappings"));
  }
  if (IsTypeNamed(kDynamicLinear, type) && !IsMemoryless(qconfig.activation)) {
    return absl::InvalidArgumentError(
        "a dynamic layer is trained with an observer that keeps the newest "
        "batch alone: a moving average with averaging_constant 1");
  }
  return CatchTorchErrors([&] {
    return IsQatEmbeddingType(type) ? MakeQatEmbedding(module, type, qconfig)
                                    : Make(module, type, qconfig);
  });
}

bool IsQatModule(const Module& module) {
  return module.hasattr(kWeightFakeQuantAttribute) &&
         IsQatType(TypeNameOf(module));
}

absl::StatusOr<TrainedLayer> TrainedLayerOf(const Module& module) {
  return CatchTorchErrors([&] { return Trained(module); });
}

}  // namespace ns
