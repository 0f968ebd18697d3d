// Quantizes a model as `ns quantize` does: with the methods that measurably
// help, and with what there is to say about the result.
#ifndef NS_QUANTIZATION_QUANTIZE_H_
#define NS_QUANTIZATION_QUANTIZE_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/output_error.h"
#include "ns/quantization/model/quantize_options.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

struct QuantizeResult {
  // Needs LibTorch's ops only; torch.jit.load reads what Save writes.
  ModelGraph quantized;
  // The float model with observers that have seen all batches. Saved, it can be
  // calibrated further, merged with others (MergePrepared), and converted by
  // QuantizePrepared.
  ModelGraph prepared;
  // The float model with factors moved between its layers, of which `quantized`
  // was made: layer by layer, that one is to be compared with this. Absent
  // where nothing was to be moved (HasRescaling).
  std::optional<ModelGraph> rescaled;
  // Says how each layer is quantized.
  QConfigMapping mapping;
  // How each layer is quantized, by which rule, why others stayed in float, and
  // which methods were tried. Its warnings are those of the whole work.
  QuantizationReport report;
  // How far the outputs are from those of the float or prepared model on the
  // batches; empty without batches, or without tensors to compare.
  std::vector<OutputError> outputs;
};

// Makes a quantized model of `float_model`. With the methods of DefaultMethods,
// it is what `ns quantize` makes. In turn, where `options` ask for it, it
//
//  * moves factors between layers (RescaleWhatHelps),
//  * finds, by a run, the layers that dynamic and weight-only ops would refuse
//    (RefusedInputs); `options.refused` is not read,
//  * observes the activations on all batches, in the mode kStatic; where that
//    shows concatenations whose inputs should not share a range, once more
//    (PrepareCalibrated),
//  * converts, with ranges, rounding and corrections of biases that help
//    (ConvertKeepingWhatHelps),
//  * compares the outputs with those of `float_model`, on this processor as on
//    the target (CopyForTarget), and where they are mostly noise, finds the
//    layer to blame (NoiseWarning),
//  * where many channels of an output are lost in the range that a few others
//    need (LosesChannels in ns/findings/lost_channels.h), does all this again
//    with the layers in float that lose them, and takes that where fewer are
//    lost; otherwise, there is a warning. Not in other modes than kStatic, and
//    not with `compat` or `allow_lost_channels`.
//
// Weights are packed for the engine of `options.backend`, which also runs the
// result. Memory holds one batch at a time, but for the methods, which hold the
// first ones. `batches` may be empty in the modes kDynamic and kWeightOnly, and
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
