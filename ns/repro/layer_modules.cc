#include "ns/repro/layer_modules.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/subgraph.h"
#include "passes/analysis/value_facts.h"
#include "passes/instrument/shadow_inputs.h"
#include "passes/matching/matches/matched_outputs.h"
#include "passes/rewrite/copy_subgraph.h"
#include "passes/rewrite/tensor_in.h"
#include "passes/runtime/dtype_casts.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kAsFloat[] = "ns::as_float";
constexpr char kAsHalf[] = "ns::as_half";
constexpr char kAsQuantized[] = "ns::as_quantized";

// The arguments of `model`, without the module.
std::vector<Value*> Arguments(const ModelGraph& model) {
  const auto inputs = model.graph().inputs();
  return {inputs.begin() + 1, inputs.end()};
}

// A model that takes `count` tensors and returns the first.
absl::StatusOr<ModelGraph> ModelOfTensors(size_t count) {
  const auto graph = std::make_shared<Graph>();
  for (size_t i = 0; i < count; ++i) {
    const std::string name = count == 1 ? "x" : absl::StrCat("x", i);
    graph->addInput(name)->setType(c10::TensorType::get());
  }
  graph->registerOutput(graph->inputs()[0]);
  NS_ASSIGN_OR_RETURN(ModelGraph model, ModelGraph::FromGraph(graph));
  // Without it, Python cannot switch the module to evaluation.
  model.module().register_attribute("training", c10::BoolType::get(), false);
  return model;
}

// Makes `model` return `value` alone, and drops what that does not need.
void Return(ModelGraph& model, Value* value) {
  model.graph().eraseOutput(0);
  model.graph().registerOutput(value);
  torch::jit::EliminateDeadCode(model.shared_graph());
}

// Removes attributes that the graph no longer reads: those of a subgraph that
// was there only to be fed.
void DropUnreadAttributes(ModelGraph& model) {
  absl::flat_hash_set<std::string> read = {"training"};
  ForEachNode(model.graph().block(), [&](Node* node) {
    if (node->kind() == c10::prim::GetAttr) {
      read.insert(node->s(c10::attr::name));
    }
  });
  const auto type = model.module().type();
  for (size_t i = type->numAttributes(); i-- > 0;) {
    const std::string name = type->getAttributeName(i);
    if (!read.contains(name)) {
      model.module()._ivalue()->unsafeRemoveAttr(name);
      type->unsafeRemoveAttribute(name);
    }
  }
}

absl::StatusOr<CopiedSubgraph> CopyQuantized(const ModelGraph& b,
                                             const SubgraphMatch& match,
                                             const MatchedOutput& output,
                                             ModelGraph& target) {
  return CopySubgraph(b, match.b.subgraph, *output.b.value, Arguments(target),
                      target, target.graph().return_node());
}

absl::StatusOr<ModelGraph> QuantizedLayer(const ModelGraph& b,
                                          const SubgraphMatch& match,
                                          const MatchedOutput& output,
                                          size_t inputs) {
  NS_ASSIGN_OR_RETURN(ModelGraph layer, ModelOfTensors(inputs));
  NS_ASSIGN_OR_RETURN(const CopiedSubgraph copy,
                      CopyQuantized(b, match, output, layer));
  NS_ASSIGN_OR_RETURN(Value * tensor, TensorIn(copy.output, output.b.place,
                                               layer.graph().return_node()));
  Return(layer, tensor);
  return layer;
}

absl::StatusOr<ModelGraph> FloatLayer(const ModelGraph& a, const ModelGraph& b,
                                      const SubgraphMatch& match,
                                      const MatchedOutput& output,
                                      size_t inputs,
                                      const OpIoTypes& io_types) {
  NS_ASSIGN_OR_RETURN(ModelGraph layer, ModelOfTensors(inputs));
  if (match.is_quantize_point) {
    return layer;
  }
  // The float subgraph is fed like a shadow: beside the quantized one, which
  // goes afterwards.
  NS_ASSIGN_OR_RETURN(const CopiedSubgraph quantized,
                      CopyQuantized(b, match, output, layer));
  Node* const place = quantized.subgraph.start;
  const ValueFacts facts(a.graph(), io_types);
  NS_ASSIGN_OR_RETURN(
      const std::vector<Value*> fed,
      ShadowInputs(match.a.subgraph, quantized.subgraph, place, facts));
  NS_ASSIGN_OR_RETURN(
      const CopiedSubgraph copy,
      CopySubgraph(a, match.a.subgraph, *output.a.value, fed, layer, place));
  NS_ASSIGN_OR_RETURN(Value * tensor,
                      TensorIn(copy.output, output.a.place, place));
  Return(layer, tensor);
  DropUnreadAttributes(layer);
  return layer;
}

absl::StatusOr<LayerModules> Extract(const ModelGraph& a, const ModelGraph& b,
                                     const SubgraphMatch& match,
                                     size_t output_index,
                                     const OpIoTypes& io_types) {
  if (match.b.subgraph.start->owningBlock() != b.graph().block()) {
    return Refusal("it is inside a loop or a branch of the quantized model");
  }
  const std::vector<Value*> inputs = DataInputsOf(match.b.subgraph);
  if (inputs.empty()) {
    return Refusal("it takes no tensors");
  }
  for (const Value* input : inputs) {
    if (!IsTensor(*input)) {
      return Refusal(absl::StrCat("its input %", input->debugName(),
                                  " is a list that is made elsewhere"));
    }
  }
  const std::vector<MatchedOutput> outputs = MatchedOutputs(match);
  const auto output =
      absl::c_find_if(outputs, [&](const MatchedOutput& candidate) {
        return candidate.index == output_index;
      });
  if (output == outputs.end()) {
    return Refusal(absl::StrCat("it has no output ", output_index,
                                " that both models return"));
  }
  NS_ASSIGN_OR_RETURN(
      ModelGraph float_layer,
      FloatLayer(a, b, match, *output, inputs.size(), io_types));
  NS_ASSIGN_OR_RETURN(ModelGraph quantized_layer,
                      QuantizedLayer(b, match, *output, inputs.size()));
  return LayerModules{std::move(float_layer), std::move(quantized_layer)};
}

absl::StatusOr<Value*> Quantized(GraphEditor& editor, Node& place, Value* value,
                                 const at::Tensor& like) {
  return editor.InsertBefore(place, "aten::quantize_per_tensor",
                             {value, like.q_scale(), like.q_zero_point(),
                              static_cast<int64_t>(like.scalar_type())});
}

absl::StatusOr<Value*> CastTo(GraphEditor& editor, Node& place, Value* value,
                              at::ScalarType dtype) {
  return editor.InsertBefore(place, "aten::to",
                             {value, static_cast<int64_t>(dtype)});
}

// What stands for `cast`, of an argument that will be what AsFloat makes of
// `recorded`.
absl::StatusOr<Value*> WithoutCast(GraphEditor& editor, Node& cast,
                                   const at::Tensor& recorded) {
  Value* const value = cast.input(0);
  const absl::string_view op = cast.kind().toQualString();
  const bool is_float = recorded.is_floating_point() || recorded.is_quantized();
  if (op == kAsQuantized && recorded.is_quantized()) {
    return Quantized(editor, cast, value, recorded);
  }
  if (op == kAsQuantized && is_float) {
    Value* floats = value;
    if (recorded.scalar_type() == at::kDouble) {
      NS_ASSIGN_OR_RETURN(floats, CastTo(editor, cast, value, at::kFloat));
    }
    return editor.InsertBefore(
        cast, "aten::quantize_per_tensor",
        {floats, cast.input(1), cast.input(2), cast.input(3)});
  }
  if (op == kAsHalf && is_float) {
    return CastTo(editor, cast, value, at::kHalf);
  }
  return value;
}

absl::Status ReplaceCasts(absl::Span<const at::Tensor> inputs,
                          ModelGraph& layer) {
  GraphEditor editor(layer.graph(), nullptr);
  std::vector<Node*> casts;
  ForEachNode(layer.graph().block(), [&](Node* node) {
    const absl::string_view op = node->kind().toQualString();
    if (op == kAsFloat || op == kAsHalf || op == kAsQuantized) {
      casts.push_back(node);
    }
  });
  for (Node* cast : casts) {
    const Value* input = cast->input(0);
    // A copy of it, as the quantized subgraph writes to it.
    while (input->node()->kind() == c10::aten::clone) {
      input = input->node()->input(0);
    }
    if (input->node() != layer.graph().param_node()) {
      return Refusal(absl::StrCat("its input %", input->debugName(),
                                  " is a list that is made elsewhere"));
    }
    NS_ASSIGN_OR_RETURN(
        Value * replacement,
        WithoutCast(editor, *cast, inputs[input->offset() - 1]));
    cast->output()->replaceAllUsesWith(replacement);
    cast->destroy();
  }
  return absl::OkStatus();
}

// Makes `layer` take what AsFloat makes of `inputs`, and cast it back.
absl::Status CastArguments(absl::Span<const at::Tensor> inputs,
                           ModelGraph& layer) {
  GraphEditor editor(layer.graph(), nullptr);
  const std::vector<Value*> arguments = Arguments(layer);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const at::ScalarType dtype = inputs[i].scalar_type();
    const bool is_half = dtype == at::kHalf || dtype == at::kBFloat16;
    if (!inputs[i].is_quantized() && !is_half) {
      continue;
    }
    Node& first = **layer.graph().nodes().begin();
    NS_ASSIGN_OR_RETURN(
        Value * cast, is_half
                          ? CastTo(editor, first, arguments[i], dtype)
                          : Quantized(editor, first, arguments[i], inputs[i]));
    arguments[i]->replaceAllUsesAfterNodeWith(cast->node(), cast);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LayerModules> ExtractLayer(const ModelGraph& a,
                                          const ModelGraph& b,
                                          const SubgraphMatch& match,
                                          size_t output,
                                          const OpIoTypes& io_types) {
  absl::StatusOr<LayerModules> layers =
      CatchTorchErrors([&] { return Extract(a, b, match, output, io_types); });
  NS_RETURN_IF_ERROR(RefusalOf("copying it", layers.status()));
  return layers;
}

absl::StatusOr<std::vector<at::Tensor>> TakePlainInputs(
    absl::Span<const at::Tensor> inputs, LayerModules& layers) {
  return CatchTorchErrors(
      "changing the inputs of the layer",
      [&]() -> absl::StatusOr<std::vector<at::Tensor>> {
        std::vector<at::Tensor> plain;
        for (const at::Tensor& input : inputs) {
          if (input.is_quantized() && input.qscheme() != at::kPerTensorAffine) {
            return Refusal("an input of it is quantized per channel");
          }
          plain.push_back(AsFloat(input).contiguous());
        }
        // LibTorch goes on running the graph that a module first ran.
        NS_ASSIGN_OR_RETURN(layers.float_layer, layers.float_layer.Clone());
        NS_ASSIGN_OR_RETURN(layers.quantized_layer,
                            layers.quantized_layer.Clone());
        NS_RETURN_IF_ERROR(ReplaceCasts(inputs, layers.float_layer));
        NS_RETURN_IF_ERROR(CastArguments(inputs, layers.quantized_layer));
        return plain;
      });
}

}  // namespace ns
