// Measures what a quantized model will lose where it is served.
#ifndef NS_QUANTIZATION_TARGET_ERROR_H_
#define NS_QUANTIZATION_TARGET_ERROR_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/quantization/quantize_options.h"

namespace ns {

// Returns the SQNR in dB of the worst output of `quantized`, which was made of
// `float_model` with `options`, as CopyForTarget (copy_for_target.h) computes
// it; infinity for a model without outputs. Errors: those of CopyForTarget and
// of MeasureOutputErrors (output_error.h).
absl::StatusOr<double> WorstOutputDb(const ModelGraph& float_model,
                                     const ModelGraph& quantized,
                                     const std::vector<Batch>& batches,
                                     const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_TARGET_ERROR_H_
