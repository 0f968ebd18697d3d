// Tells where a quantized op has the scale of its output from.
#ifndef PASSES_ANALYSIS_OUTPUT_SCALE_H_
#define PASSES_ANALYSIS_OUTPUT_SCALE_H_

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns the index, in the schema and among the inputs, of the argument of
// `node` for the scale of its output; the zero point follows it. -1 when there
// is none, for float ops, fake quantization among them, and for ops that the
// table of ops does not know.
int OutputScaleArgument(const torch::jit::Node& node);

// Returns the same index when these inputs of `node` are surely a float and an
// int; -1 also when they are tensors or may be None.
int OutputScaleInput(const torch::jit::Node& node);

// Whether `node` is an int8 sum or product with a number, whose kernel chooses
// the qparams of the output by those of its input.
bool ChoosesQParams(const torch::jit::Node& node);

// Whether `node` is aten::add or aten::mul, and one operand is a constant
// number (NumberOf of ir/graph/node_view.h). The other is not looked at.
bool TakesNumber(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_ANALYSIS_OUTPUT_SCALE_H_
