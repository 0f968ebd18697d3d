// Which input of a quantized op is the scale of its output.
#ifndef PASSES_ANALYSIS_OUTPUT_SCALE_H_
#define PASSES_ANALYSIS_OUTPUT_SCALE_H_

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// The index of the argument that the schema of `node` calls a scale of the
// output, whose zero point follows it; -1 when there is none.
int OutputScaleArgument(const torch::jit::Node& node);

// The same where `node` is given a scale: -1 also when it may be None.
int OutputScaleInput(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_ANALYSIS_OUTPUT_SCALE_H_
