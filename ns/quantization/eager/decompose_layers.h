// Takes apart the layers that PyTorch quantizes by their parts: LSTMs and
// MultiheadAttentions.
#ifndef NS_QUANTIZATION_EAGER_DECOMPOSE_LAYERS_H_
#define NS_QUANTIZATION_EAGER_DECOMPOSE_LAYERS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/hierarchy/module_editor.h"

namespace ns {

// Replaces each LSTM and MultiheadAttention whose qconfig is for static
// quantization by a module of linear layers, stubs and FloatFunctionals
// (quantizable_lstm.h, quantizable_attention.h), which all get its qconfig. The
// root stays, and so do layers of types for which `is_left` is true, and those
// whose tensors other code reads (outside_reads.h). Error, naming the path: a
// layer that QuantizableLstm or QuantizableAttention refuses, such as one that
// was traced.
absl::Status DecomposeLayers(
    ModuleEditor& editor,
    const std::function<bool(absl::string_view type)>& is_left);

// Whether `type` is one that DecomposeLayers can take apart.
bool IsDecomposed(absl::string_view type);

// To be called once the parts are quantized, and while they have qconfigs:
// gives the modules that DecomposeLayers made the classes of PyTorch's
// quantized layers, and quantizes bias_k and bias_v of attentions.
absl::Status FinishDecomposed(ModuleEditor& editor);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_DECOMPOSE_LAYERS_H_
