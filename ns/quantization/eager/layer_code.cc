#include "ns/quantization/eager/layer_code.h"

#include <torch/csrc/jit/ir/ir.h>

#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "passes/lowering/fold/fold_reference_quantization.h"
#include "passes/quantization/dynamic/quantize_dynamic.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/layers/fit_qconfig.h"
#include "passes/quantization/layers/int8_form.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Dequantizes the input of the code, which the module in front has quantized.
// The fold looks for the node that did; the one that is returned stands in
// for it.
absl::StatusOr<Node*> DequantizeInput(Graph& graph, at::ScalarType dtype) {
  const torch::jit::WithInsertPoint at_front(*graph.nodes().begin());
  Value* input = graph.inputs()[1];
  NS_ASSIGN_OR_RETURN(Value * quantized,
                      InsertOp(graph, "aten::quantize_per_tensor",
                               {input, 1.0, 0, static_cast<int64_t>(dtype)}));
  NS_ASSIGN_OR_RETURN(Value * floats,
                      InsertOp(graph, "aten::dequantize", {quantized}));
  input->replaceAllUsesAfterNodeWith(floats->node(), floats);
  return quantized->node();
}

// The arguments that say which of several shapes the output has.
std::vector<Value*> SizesIn(Graph& graph) {
  const c10::TypePtr sizes = c10::OptionalType::create(c10::ListType::ofInts());
  std::vector<Value*> found;
  absl::c_copy_if(graph.inputs(), std::back_inserter(found),
                  [&](const Value* input) { return *input->type() == *sizes; });
  return found;
}

// Lets the code refuse sizes, which AssumeNoSizes took for None.
absl::Status RefuseSizes(Graph& graph) {
  for (Value* input : SizesIn(graph)) {
    const torch::jit::WithInsertPoint at_front(*graph.nodes().begin());
    Value* none = graph.insertConstant(c10::IValue());
    NS_ASSIGN_OR_RETURN(Value * is_given,
                        InsertOp(graph, "aten::__isnot__", {input, none}));
    Node* check = graph.insertNode(graph.create(c10::prim::If, {is_given}, 0));
    torch::jit::Block* given = check->addBlock();
    check->addBlock();
    const torch::jit::WithInsertPoint in_block(given);
    Value* message = graph.insertConstant(
        absl::StrCat("a quantized module takes no ", ValueName(*input)));
    graph.insertNode(
        graph.create(c10::prim::RaiseException, {message, none}, 0));
  }
  return absl::OkStatus();
}

// Lets `base` compute with its weight quantized and dequantized, if it has one
// that its quantized op packs.
absl::Status QuantizeWeight(const LayerWeight& quantization, Node& base) {
  const int index = PackedWeightInput(base);
  if (index < 0) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(const at::Tensor weight,
                      ConstantTensor(*base.input(index), "its weight"));
  NS_ASSIGN_OR_RETURN(const at::Tensor quantized,
                      quantization.trained == nullptr
                          ? QuantizedBySpec(weight, quantization.spec)
                          : QuantizedByObserver(weight, *quantization.trained));
  const torch::jit::WithInsertPoint in_front(&base);
  Graph& graph = *base.owningGraph();
  NS_ASSIGN_OR_RETURN(
      Value * dequantized,
      InsertOp(graph, "aten::dequantize", {graph.insertConstant(quantized)}));
  base.replaceInput(index, dequantized);
  return absl::OkStatus();
}

absl::Status QuantizeOutput(const OutputQuantization& output, Value& value) {
  const torch::jit::WithInsertPoint behind(PlaceAfter(value));
  NS_ASSIGN_OR_RETURN(
      Value * quantized,
      InsertOp(*value.owningGraph(), "aten::quantize_per_tensor",
               {&value, output.scale, output.zero_point,
                static_cast<int64_t>(output.dtype)}));
  value.replaceAllUsesAfterNodeWith(quantized->node(), quantized);
  return absl::OkStatus();
}

}  // namespace

void AssumeNoSizes(Graph& graph) {
  const torch::jit::WithInsertPoint at_front(*graph.nodes().begin());
  for (Value* input : SizesIn(graph)) {
    input->replaceAllUsesWith(graph.insertConstant(c10::IValue()));
  }
}

absl::StatusOr<FloatSubgraph> OneLayer(Graph& graph) {
  std::vector<FloatSubgraph> layers =
      FindFloatSubgraphs(graph, {}, FusingOps::kLibTorch);
  if (layers.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its code has ", layers.size(),
        " layers that can be quantized; a quantized module has one"));
  }
  return std::move(layers.front());
}

absl::Status QuantizeLayerCode(const LayerWeight& weight,
                               const OutputQuantization& output,
                               ModelGraph& flat,
                               std::vector<std::string>* warnings) {
  Graph& graph = flat.graph();
  if (graph.inputs().size() < 2 || !IsTensor(*graph.inputs()[1])) {
    return absl::InvalidArgumentError("it does not take a tensor");
  }
  NS_RETURN_IF_ERROR(RefuseSizes(graph));
  NS_ASSIGN_OR_RETURN(const FloatSubgraph layer, OneLayer(graph));
  Node* base = layer.subgraph.base;
  QConfig qconfig;
  qconfig.weight = weight.spec;
  if (FitWeight(layer, qconfig) && warnings != nullptr) {
    warnings->push_back(
        "its weight gets one scale; kernels of transposed convolutions do not "
        "take one for each channel");
  }
  NS_ASSIGN_OR_RETURN(Node * stand_in, DequantizeInput(graph, output.dtype));
  NS_RETURN_IF_ERROR(QuantizeWeight({qconfig.weight, weight.trained}, *base));
  NS_RETURN_IF_ERROR(QuantizeOutput(output, *layer.output));
  FoldReferenceQuantization::Options options;
  options.ns_ops = false;
  PassContext context;
  NS_RETURN_IF_ERROR(
      FoldReferenceQuantization(options).Run(flat, context).status());
  stand_in->output()->replaceAllUsesWith(graph.inputs()[1]);
  stand_in->destroy();
  return context.remarks().empty()
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat(
                   context.remarks().front().op,
                   " stays in float: ", context.remarks().front().reason));
}

absl::Status QuantizeDynamicCode(const QConfig& qconfig, ModelGraph& flat) {
  NS_RETURN_IF_ERROR(OneLayer(flat.graph()).status());
  QuantizationReport report;
  QuantizeDynamic::Options options;
  options.mapping.SetGlobal(qconfig);
  options.report = &report;
  PassContext context;
  NS_RETURN_IF_ERROR(QuantizeDynamic(options).Run(flat, context).status());
  if (!report.stayed_float.empty()) {
    const FloatLayer& layer = report.stayed_float.front();
    return absl::InvalidArgumentError(
        absl::StrCat(layer.op, " stays in float: ", layer.reason));
  }
  return absl::OkStatus();
}

}  // namespace ns
