// Takes layers apart that PyTorch quantizes by their parts.
#ifndef NS_QUANTIZATION_EAGER_DECOMPOSE_LAYERS_H_
#define NS_QUANTIZATION_EAGER_DECOMPOSE_LAYERS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/module_editor.h"

namespace ns {

// Puts modules of linear layers, stubs and FloatFunctionals in the place of the
// LSTMs and MultiheadAttentions whose activations are to be quantized
// (quantizable_lstm.h, quantizable_attention.h). The parts get the qconfig of
// the layer. Types for which `is_left` is true stay, and a layer of which other
// code reads a tensor (outside_reads.h). Error, naming the path: a layer
// that was not scripted.
absl::Status DecomposeLayers(
    ModuleEditor& editor,
    const std::function<bool(absl::string_view type)>& is_left);

// Whether modules of `type` are such as DecomposeLayers takes apart.
bool IsDecomposed(absl::string_view type);

// Gives what DecomposeLayers made, of which the parts have been quantized, the
// classes of PyTorch's quantized layers.
absl::Status FinishDecomposed(ModuleEditor& editor);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_DECOMPOSE_LAYERS_H_
