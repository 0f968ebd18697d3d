// Finds ops in place that have no equal form out-of-place, because of the types
// of their operands.
#ifndef PASSES_REWRITE_PROMOTES_OUT_OF_PLACE_H_
#define PASSES_REWRITE_PROMOTES_OUT_OF_PLACE_H_

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Whether an operand of `node`, an op in place on a float32 tensor, is of a
// wider type, float64 or complex: a constant, as NumPy makes them, or what an
// op was told to give, or what is computed from either. The op in place gives
// float32 all the same; out-of-place, it would give the wider type, which later
// layers do not take:
//
//   %y : Tensor = aten::add_(%x, %positions, %one)
bool PromotesOutOfPlace(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_REWRITE_PROMOTES_OUT_OF_PLACE_H_
