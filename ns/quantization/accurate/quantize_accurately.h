// Quantizes a model with methods that lose less, and keeps of them what helps.
#ifndef NS_QUANTIZATION_ACCURATE_QUANTIZE_ACCURATELY_H_
#define NS_QUANTIZATION_ACCURATE_QUANTIZE_ACCURATELY_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/accurate/held_back_batches.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/quantization/model/quantize_options.h"

namespace ns {

// Quantizes `prepared` as ConvertModel does, with those methods of `options`
// that measurably help, one after the other:
//
//  * ranges (QuantizeMethods::choose_ranges), which ChooseRanges chooses: what
//    needs no measuring at first, then the rest;
//  * adaptive rounding (rounding_steps) and
//  * bias correction, for the layers whose SQNR is then higher (LayerErrors in
//    layer_errors.h), each by itself, but for kSequential, which is measured in
//    the model. Of kBest, what kSequential gains in a layer replaces what kFast
//    does, where the outputs gain 0.5 dB by all that is replaced.
//
// All is measured on the batches held back, and a method is not kept at all
// when the outputs of the model get worse by it. QuantizationReport::tried has
// what was tried.
//
// `prepared` is what PrepareModel made of `float_model` with `options`, and
// CalibrateHoldingBack has calibrated it on `batches`. The last of these
// (held_back_batches.h) tell whether a method helps, and the others teach it.
// `float_model` must not have observers. Without batches held back, and where
// the models cannot be compared, nothing is kept that needs measuring, which a
// warning says. `after_batch` is called each time that a model has run on all
// batches held back, with the number of batches run so far: at most
// BatchesToMeasure. Errors: those of ConvertModel, of ChooseRanges without
// batches, and of reading a batch.
absl::StatusOr<QuantizedModel> ConvertKeepingWhatHelps(
    const ModelGraph& float_model, const ModelGraph& prepared,
    const BatchReader& batches, const QuantizeOptions& options,
    const AfterBatch& after_batch = nullptr);

// Returns how many batches ConvertKeepingWhatHelps runs at most to measure. A
// batch counts once for each model that runs on it.
int64_t BatchesToMeasure(const QuantizeOptions& options,
                         const BatchReader& batches);

}  // namespace ns

#endif  // NS_QUANTIZATION_ACCURATE_QUANTIZE_ACCURATELY_H_
