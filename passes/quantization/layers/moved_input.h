// Recognizes ops that only move the values of an input.
#ifndef PASSES_QUANTIZATION_LAYERS_MOVED_INPUT_H_
#define PASSES_QUANTIZATION_LAYERS_MOVED_INPUT_H_

namespace torch::jit {
struct Use;
}  // namespace torch::jit

namespace ns {

// Whether the op of `use` gives values of that input and no others: reshapes,
// slices, gathers, casts, whether it has an int8 form (MovesValues in
// int8_form.h) or not. False for what makes and takes apart lists, tuples and
// dicts, which HandedOnTo (ir/graph/handed_on.h) follows.
bool MovesInput(const torch::jit::Use& use);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_MOVED_INPUT_H_
