// Tells whether a model is one that can be quantized.
#ifndef NS_QUANTIZATION_MODEL_CHECK_IS_FLOAT_H_
#define NS_QUANTIZATION_MODEL_CHECK_IS_FLOAT_H_

#include "absl/status/status.h"
#include "ir/model/model_graph.h"

namespace ns {

// Returns an invalid-argument error for a model that is prepared already (it
// has observers), or that computes with quantized tensors: its graph has an op
// that takes or gives one. The message says what to do instead. OK for layers
// whose weights alone are quantized, as those of linear layers and embeddings
// are by quantize-dynamic: they take and give float values.
absl::Status CheckIsFloat(const ModelGraph& model);

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_CHECK_IS_FLOAT_H_
