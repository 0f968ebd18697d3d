// Tells what prepare_fx of PyTorch 1.13 takes ops for, where this library takes
// them for something else.
#ifndef PASSES_QUANTIZATION_FX_FORMS_H_
#define PASSES_QUANTIZATION_FX_FORMS_H_

#include "absl/status/statusor.h"
#include "passes/quantization/int8_form.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Whether prepare_fx knows that `node` moves values: it then observes them
// behind `node`, with the observer of the input. Other ops that move values
// (MovesValues), such as slices, end the flow of quantized values there.
bool MovesValuesInFx(const torch::jit::Node& node);

// Returns Int8FormOf(node), with two exceptions. Sums and products with a
// number have kRangeOfInput: prepare_fx gives them the observer of their input,
// though their int8 ops choose a scale and zero point. aten::channel_shuffle is
// refused (ir/refusal.h): prepare_fx does not observe it.
absl::StatusOr<Int8Form> Int8FormInFx(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_FX_FORMS_H_
