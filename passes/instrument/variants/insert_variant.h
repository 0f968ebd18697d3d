// Computes another version of a layer beside the layer itself, which shows what
// one change would do to its output: a rounded input, another weight, another
// scale.
#ifndef PASSES_INSTRUMENT_VARIANTS_INSERT_VARIANT_H_
#define PASSES_INSTRUMENT_VARIANTS_INSERT_VARIANT_H_

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/subgraph.h"
#include "passes/instrument/variants/rounding.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/rewrite/copy_subgraph.h"
#include "passes/rewrite/replace_tensors.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// A new constant for one input of an op: number `index` of Node::inputs().
struct ConstantInput {
  size_t index = 0;
  c10::IValue value;
  // Whether the op gets the dequantized value, which is computed anew in every
  // run: a quantized weight takes a quarter of the memory of a float one.
  bool dequantize = false;
};

// The differences between a layer and the copy that InsertVariant makes of it.
// Without any, the copy computes what the layer does.
struct LayerVariant {
  // How the data inputs (DataInputsOf) are rounded, in order. Those beyond the
  // end stay as they are.
  std::vector<Rounding> inputs;
  // Constants of the base op: its packed weight, the scale and the zero point
  // of its output.
  std::vector<ConstantInput> constants;
  // Tensors that are replaced wherever the copy has them, as constants or
  // attributes: the weights of a float layer.
  std::vector<TensorReplacement> tensors;
  // How the weights of all ops are quantized and dequantized (QuantizeWeights),
  // which also folds a batch norm.
  std::optional<ObserverSpec> weights;
};

// Copies a layer as CopySubgraph does, with the changes of `variant`: the
// subgraph of `source` that computes `output` goes before `place` in the graph
// of `host`, and takes `inputs`, the values for DataInputsOf(subgraph) in
// order, of which there are at least as many as variant.inputs. With a rounded
// input and another weight,
//
//   %y = aten::linear(%x, %weight, %bias)    # in the source
// becomes, in the host, for inputs = {%d},
//   %scaled = aten::mul(%d, <1 / scale>)
//   ...
//   %rounded = aten::mul_(%clamped, <scale>)
//   %other : Tensor = prim::Constant[value=<Tensor>]()
//   %variant = aten::linear(%rounded, %other, %bias)
//
// Returns the copy; nothing uses it yet. Error: a refusal (ir/base/refusal.h)
// where the subgraph cannot be copied, does not have the tensors to be
// replaced, or is to get constants and has its base op in an arm of a prim::If;
// an error of InsertRounding or QuantizeWeights. The graph is then unchanged.
absl::StatusOr<CopiedSubgraph> InsertVariant(
    const ModelGraph& source, const Subgraph& subgraph,
    const torch::jit::Value& output,
    absl::Span<torch::jit::Value* const> inputs, ModelGraph& host,
    torch::jit::Node* place, const LayerVariant& variant,
    const ValueCounterparts& counterparts = ValueCounterparts());

// Does the same for a layer of `host` itself. The copy takes the inputs that
// the layer takes.
//
//   %other : float = prim::Constant[value=0.25]()
//   %variant = quantized::linear(%x, %packed, %other, %zero_point)
//   %y = quantized::linear(%x, %packed, %scale, %zero_point)
absl::StatusOr<CopiedSubgraph> InsertVariant(
    ModelGraph& host, const Subgraph& subgraph, const torch::jit::Value& output,
    torch::jit::Node* place, const LayerVariant& variant,
    const ValueCounterparts& counterparts = ValueCounterparts());

}  // namespace ns

#endif  // PASSES_INSTRUMENT_VARIANTS_INSERT_VARIANT_H_
