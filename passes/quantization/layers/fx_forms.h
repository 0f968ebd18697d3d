// Tells what prepare_fx of PyTorch 1.13 takes ops for, where this library takes
// them for something else.
#ifndef PASSES_QUANTIZATION_LAYERS_FX_FORMS_H_
#define PASSES_QUANTIZATION_LAYERS_FX_FORMS_H_

#include "absl/status/statusor.h"
#include "passes/quantization/layers/int8_form.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Whether prepare_fx looks at calls such as `node`
// (torch/ao/quantization/backend_config/native.py). It goes by how Python calls
// an op: it knows torch.flatten(x), and not x.flatten() or nn.Flatten. The
// module of torch.nn that `node` belongs to decides, the outermost one, since
// prepare_fx does not look inside of these. Outside of them the call does
// (PythonCallOf in python_call.h); where that is unknown, the op.
bool IsKnownToFx(const torch::jit::Node& node);

// Whether prepare_fx fuses `relu`, an aten::relu that alone uses the output of
// `before`, with that.
bool FusesReluInFx(const torch::jit::Node& before,
                   const torch::jit::Node& relu);

// Whether prepare_fx knows that `node` moves values: it then observes them
// after `node`, with the observer of the input. Other ops that move values
// (MovesValues), such as slices, end the flow of quantized values there.
bool MovesValuesInFx(const torch::jit::Node& node);

// Returns Int8FormOf(node), with two exceptions. Sums and products with a
// number have kRangeOfInput: prepare_fx gives them the observer of their input,
// though their int8 ops choose a scale and zero point. Calls that prepare_fx
// does not know (IsKnownToFx) are refused (ir/base/refusal.h).
absl::StatusOr<Int8Form> Int8FormInFx(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_FX_FORMS_H_
