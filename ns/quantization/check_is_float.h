// Tells whether a model is one that can be quantized.
#ifndef NS_QUANTIZATION_CHECK_IS_FLOAT_H_
#define NS_QUANTIZATION_CHECK_IS_FLOAT_H_

#include "absl/status/status.h"
#include "ir/model_graph.h"

namespace ns {

// Returns an invalid-argument error, which says what to give instead, for a
// model that is prepared or holds quantized ops. Embeddings may be packed.
absl::Status CheckIsFloat(const ModelGraph& model);

}  // namespace ns

#endif  // NS_QUANTIZATION_CHECK_IS_FLOAT_H_
