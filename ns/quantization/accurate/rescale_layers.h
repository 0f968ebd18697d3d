// Moves factors between the layers of a float model, so that quantizing it
// loses less, and keeps what helps.
#ifndef NS_QUANTIZATION_ACCURATE_RESCALE_LAYERS_H_
#define NS_QUANTIZATION_ACCURATE_RESCALE_LAYERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/quantize_options.h"
#include "passes/quantization/layers/quantization_report.h"

namespace ns {

struct RescaledModel {
  // Computes what the model that was given does, up to rounding; but clamps may
  // cut values that are larger than all that were sampled (EqualizeLayers). Its
  // batch norms are folded (FoldForQuantization); names of layers stay.
  ModelGraph model;
  // What was tried, kept or not: one for each pair that was equalized and each
  // layer that was smoothed with its readers, with the name of the first layer.
  std::vector<TriedMethod> tried;
  std::vector<std::string> warnings;
};

// Smooths (SmoothLayers) and equalizes (EqualizeLayers, both in
// passes/quantization) a copy of `float_model`, as `options` ask for; the model
// is then to be quantized with the same options. HasRescaling(options) must be
// true.
//
// The ranges of channels are sampled on 8 batches at most, spread over those
// that are not held back (SplitBatches in held_back_batches.h). What helps
// shows on the batches that are: models are calibrated on 4 of the others, and
// quantized to 8 bits everywhere, as if no sum could saturate, since bits are
// chosen later.
//
//  * Smoothing is kept for a layer where its readers gain 0.5 dB on the sampled
//    values.
//  * Equalization is kept for a pair where the sum of the noise of both layers,
//    each measured by itself, gets smaller.
//  * Either is dropped for all layers where the outputs of the model get worse,
//    compared with those of `float_model`.
//
// Nothing is done, and a warning says so, with less than two batches, without
// layers to do it on, and where the models cannot be compared. Error: a batch
// that cannot be read, or a model that FoldForQuantization refuses.
// QuantizeOptions::progress is called for each model that is quantized.
absl::StatusOr<RescaledModel> RescaleWhatHelps(const ModelGraph& float_model,
                                               const BatchReader& batches,
                                               const QuantizeOptions& options);

// Whether `options` ask for rescaling, and do not say to ignore it
// (QuantizeMethods).
bool HasRescaling(const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_ACCURATE_RESCALE_LAYERS_H_
