// Tells whether a model is one that can be quantized.
#ifndef NS_QUANTIZATION_CHECK_IS_FLOAT_H_
#define NS_QUANTIZATION_CHECK_IS_FLOAT_H_

#include "absl/status/status.h"
#include "ir/model_graph.h"

namespace ns {

// Returns an invalid-argument error, which says what to give instead, for a
// model that is prepared or has quantized values. Layers that were quantized
// without calibration, as linear layers and embeddings are by quantize-dynamic,
// may be there: they take and give float values.
absl::Status CheckIsFloat(const ModelGraph& model);

}  // namespace ns

#endif  // NS_QUANTIZATION_CHECK_IS_FLOAT_H_
