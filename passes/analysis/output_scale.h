// Tells where a quantized op has the scale of its output from.
#ifndef PASSES_ANALYSIS_OUTPUT_SCALE_H_
#define PASSES_ANALYSIS_OUTPUT_SCALE_H_

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns the index of the argument that the schema of `node` has for the scale
// of the output; the zero point follows it. -1 when there is none.
int OutputScaleArgument(const torch::jit::Node& node);

// Returns the same index when `node` is surely given a scale; -1 also when that
// may be None.
int OutputScaleInput(const torch::jit::Node& node);

// Whether `node` is an int8 sum or product with a number, whose kernel chooses
// the qparams of the output by those of its input.
bool ChoosesQParams(const torch::jit::Node& node);

// Whether `node` is a float sum or product of a tensor and a number (NumberOf
// of ir/node_view.h).
bool TakesNumber(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_ANALYSIS_OUTPUT_SCALE_H_
