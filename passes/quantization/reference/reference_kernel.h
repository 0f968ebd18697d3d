// Inserts reference kernels, which compute what a quantized op would give if
// its kernel made no error of its own.
#ifndef PASSES_QUANTIZATION_REFERENCE_REFERENCE_KERNEL_H_
#define PASSES_QUANTIZATION_REFERENCE_REFERENCE_KERNEL_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/value_facts.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Inserts the reference of `node`, a quantized op in the graph of `host`: the
// inputs are dequantized, the op is computed in float, and the result is
// quantized with the op's own output qparams. `node` stays. Where its output
// differs from the reference, its kernel rounded, saturated or computed in
// another way: the error that quantization makes is in both.
//
//   %y = quantized::conv2d_relu(%x, %packed, %scale, %zero_point)
// becomes
//   %float = ns::as_float(%x)
//   %weight = prim::Constant[value=<Tensor>]()           # dequantized
//   %conv = aten::conv2d(%float, %weight, %bias, ...)
//   %relu = aten::relu(%conv)
//   %dtype = prim::dtype(%x)
//   %reference =
//       aten::quantize_per_tensor(%relu, %scale, %zero_point, %dtype)
//   %y = quantized::conv2d_relu(%x, %packed, %scale, %zero_point)
//
// Some ops have no scale and zero point among their inputs (max_pool2d,
// sigmoid, add_scalar) and choose them as they run. Their reference is also
// computed in front of them, but quantized right behind them. So is that of an
// op whose data are a list (quantized::cat):
//
//   %float = ns::as_float(%x)
//   %sigmoid = aten::sigmoid(%float)
//   %y = aten::sigmoid(%x)
//   %reference = ns::quantize_like(%sigmoid, %y)
//
// The input of a dynamic op is quantized as its kernel does, and its reference,
// like its output, is float:
//
//   %y = quantized::linear_dynamic(%x, %packed, %reduce_range)
// becomes
//   %q = ns::quantize_dynamic(%x, %reduce_range)
//   %float = ns::as_float(%q)
//   %reference = aten::linear(%float, %weight, %bias)
//   %y = quantized::linear_dynamic(%x, %packed, %reduce_range)
//
// Weights are dequantized into constants, four bytes an element.
//
// `gives_quantized` says whether the output of `node` is quantized, as some ops
// run on float tensors, too: pass what GivesQuantized returns.
//
// Returns %reference. It may stand behind `node`, as above. For an op with
// several outputs it is the reference of the first one.
//
// Error: a refusal (ir/base/refusal.h) when the op has no reference
// (reference_ops.h); when it could run on quantized tensors but
// `gives_quantized` is false; when no operator takes its arguments; or when
// packed parameters are not constant or cannot be unpacked. The graph is then
// unchanged.
absl::StatusOr<torch::jit::Value*> InsertReferenceKernel(ModelGraph& host,
                                                         torch::jit::Node* node,
                                                         bool gives_quantized);

// Whether `node` likely gives a quantized tensor. `facts` are those of its
// graph.
bool GivesQuantized(const torch::jit::Node& node, const ValueFacts& facts);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_REFERENCE_REFERENCE_KERNEL_H_
