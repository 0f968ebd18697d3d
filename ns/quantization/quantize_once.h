// Quantizes a model with the layers and bits that the options name, whatever
// that costs its outputs.
#ifndef NS_QUANTIZATION_QUANTIZE_ONCE_H_
#define NS_QUANTIZATION_QUANTIZE_ONCE_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/quantize_options.h"
#include "ns/quantization/quantize_result.h"

namespace ns {

// Does what Quantize (quantize.h) does before it looks at what the outputs
// lose, and compares them with those of `float_model`. QuantizeOptions::backend
// must be the engine (ScopedEngine). Error: as of Quantize.
absl::StatusOr<QuantizeResult> QuantizeOnce(const ModelGraph& float_model,
                                            const BatchReader& batches,
                                            const QuantizeOptions& options);

// The same for QuantizePrepared.
absl::StatusOr<QuantizeResult> QuantizePreparedOnce(
    ModelGraph prepared, const BatchReader& batches,
    const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_QUANTIZE_ONCE_H_
