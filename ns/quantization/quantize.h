// Quantizes a model as `ns quantize` does: with the methods that measurably
// help, and with what there is to say about the result.
#ifndef NS_QUANTIZATION_QUANTIZE_H_
#define NS_QUANTIZATION_QUANTIZE_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/quantize_options.h"
#include "ns/quantization/quantize_result.h"

namespace ns {

// Makes a quantized model of `float_model`. With the methods of DefaultMethods,
// it is what `ns quantize` makes. In turn, where `options` ask for it, it
//
//  * moves factors between layers (RescaleWhatHelps),
//  * finds, by a run, the layers that dynamic and weight-only ops would refuse
//    (RefusedInputs); `options.refused` is not read,
//  * finds out whether activations need a headroom (TryHeadroom, with
//    QuantizeMethods::choose_headroom), and gives it to them,
//  * observes the activations on all batches, in the mode kStatic; where that
//    shows concatenations whose inputs should not share a range, once more
//    (PrepareCalibrated),
//  * converts, with ranges, rounding and corrections of biases that help
//    (ConvertKeepingWhatHelps),
//  * compares the outputs with those of `float_model`, on this processor as on
//    the target (CopyForTarget),
//  * where the worst of them has less than 35 dB, finds the layers that cost
//    them most and gain little time (FindCostlyLayers), and does all this again
//    with these in float or quantized dynamically, up to three times, as long
//    as that output gains 0.5 dB. With 25 dB or more, these are only layers
//    whose values are dequantized anyhow,
//  * where that output still has less than 25 dB, tries smoothing
//    (QuantizeMethods::smooth), and takes it where the output gains 0.5 dB,
//  * where many channels of an output are lost in the range that a few others
//    need (LosesChannels in ns/findings/lost_channels.h), does all this again
//    with the layers in float that lose them, and takes that where fewer are
//    lost; otherwise, there is a warning,
//  * where the worst output has less than 25 dB, and 6 dB more in the mode
//    kDynamic, advises that mode,
//  * where activations have 7 bits for the sake of the default target, and the
//    worst output gains 1 dB with kFbgemmVnni on the last 4 batches, advises
//    that target,
//  * where outputs are mostly noise, finds the layer to blame (NoiseWarning).
//
// What begins with "where" is for the mode kStatic without `compat`, but for
// the last. What changes the model is not done with `allow_lost_channels`, and
// only the lost channels are looked at with `reference` or a `mapping`.
//
// Weights are packed for the engine of `options.backend`, which also runs the
// result. Memory holds one batch at a time, but for the methods, which hold
// some. `batches` may be empty in the modes kDynamic and kWeightOnly, and
// with fake quantizations that need none: nothing is then measured.
// `options.progress` is called after each batch that has run, and by the
// methods.
//
// Error: that of a function above. One that is of the model begins with the
// file that it was read from (ModelGraph::source), if any; one of a batch names
// the batch.
absl::StatusOr<QuantizeResult> Quantize(const ModelGraph& float_model,
                                        const BatchReader& batches,
                                        const QuantizeOptions& options);

// Converts a prepared model, which Quantize or PrepareModel made, with the
// options that it was prepared with; a file of one is loaded as it is
// (ModelGraphOptions::as_it_is). Observers see all `batches`, if there are any,
// besides what they have seen before. `options.methods` is not read, as the
// methods need the float model. The outputs are compared with those of
// `prepared`. Error: as above.
absl::StatusOr<QuantizeResult> QuantizePrepared(ModelGraph prepared,
                                                const BatchReader& batches,
                                                const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_QUANTIZE_H_
