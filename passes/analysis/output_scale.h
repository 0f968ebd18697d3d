// Finds the input of a quantized op that is the scale of its output.
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

}  // namespace ns

#endif  // PASSES_ANALYSIS_OUTPUT_SCALE_H_
