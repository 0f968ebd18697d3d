// Finds relus and clamps that have no effect, because quantizing their output
// clips it anyway.
#ifndef PASSES_LOWERING_FOLD_SATURATION_H_
#define PASSES_LOWERING_FOLD_SATURATION_H_

#include "passes/analysis/tensor_facts.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// True when `node` is a relu, relu6, hardtanh or clamp with constant bounds,
// and the range of the quantized values of its output lies within these bounds:
// for instance a relu6 whose output is quantized to 0 to 255 with the scale 6 /
// 255 and the zero point 0.
bool IsAbsorbed(const torch::jit::Node& node, const PerTensorQParams& output);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_SATURATION_H_
