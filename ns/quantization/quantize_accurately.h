// Quantizes a model with methods that lose less, and keeps of them what helps.
#ifndef NS_QUANTIZATION_QUANTIZE_ACCURATELY_H_
#define NS_QUANTIZATION_QUANTIZE_ACCURATELY_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/quantize_model.h"
#include "ns/quantization/quantize_options.h"

namespace ns {

// How many batches, the last ones, say whether a method helps: a sixteenth, one
// at least and eight at most; none of one batch.
int64_t HeldBackBatches(int64_t batches);

// Calls `after_batch` with the number of batches that were run so far.
using AfterBatch = std::function<void(int64_t done)>;

// Runs `prepared`, a model of PrepareModel, on all batches. All observers see
// all of them; means of inputs are not gathered of those held back. Error: a
// batch that cannot be read or does not fit, named.
absl::Status CalibrateHoldingBack(const ModelGraph& prepared,
                                  const BatchReader& batches,
                                  const AfterBatch& after_batch = nullptr);

// Quantizes `prepared` as ConvertModel does, with those methods of `options`
// that measurably help, one after the other:
//
//  * ranges (QuantizeOptions::choose_ranges), as ChooseRanges measures them;
//  * adaptive rounding (rounding_steps) and
//  * bias correction, for the layers whose SQNR is then higher (LayerErrors in
//    layer_errors.h), each by itself, but for kSequential, which is measured in
//    the model.
//
// All is measured on the batches held back, and a method is not kept at all
// when the outputs of the model get worse by it. QuantizationReport::tried has
// what was tried.
//
// `float_model` is what `prepared` was made of. Without batches held back, and
// where the models cannot be compared, nothing is kept that needs measuring,
// which a warning says.
// `after_batch` counts batches of up to BatchesToMeasure(options, batches)
// runs. Errors: those of ConvertModel and of CalibrateHoldingBack.
absl::StatusOr<QuantizedModel> ConvertKeepingWhatHelps(
    const ModelGraph& float_model, const ModelGraph& prepared,
    const BatchReader& batches, const QuantizeOptions& options,
    const AfterBatch& after_batch = nullptr);

// The number of batches that ConvertKeepingWhatHelps runs.
int64_t BatchesToMeasure(const QuantizeOptions& options,
                         const BatchReader& batches);

}  // namespace ns

#endif  // NS_QUANTIZATION_QUANTIZE_ACCURATELY_H_
