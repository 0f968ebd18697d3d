// Moves factors between the layers of a float model, so that quantizing it
// loses less, and keeps what helps.
#ifndef NS_QUANTIZATION_RESCALE_LAYERS_H_
#define NS_QUANTIZATION_RESCALE_LAYERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/quantize_options.h"
#include "passes/quantization/quantization_report.h"

namespace ns {

struct RescaledModel {
  // Computes what the model that was given does, up to rounding, and up to what
  // a clamp cuts off of values beyond those that were sampled (EqualizeLayers).
  // Its batch norms are folded (FoldForQuantization); names of layers stay.
  ModelGraph model;
  // Named by the first layer of each pair.
  std::vector<TriedMethod> tried;
  std::vector<std::string> warnings;
};

// Smooths (SmoothLayers) and equalizes (EqualizeLayers, both in
// passes/quantization) a copy of `float_model`, as `options` ask for; the model
// is then to be quantized with them. Needs HasRescaling(options).
//
// What large channels there are is sampled on the first batches, at most 8. On
// the first 4 of these, models are calibrated to see what helps on the batches
// held back (HeldBackBatches in held_back_batches.h), with 8 bits everywhere,
// as if no sum could saturate: bits are chosen later.
//
//  * smoothing is kept for a layer where its readers gain 0.5 dB on the sampled
//    values;
//  * equalization is kept for a pair where the noise of both layers, each by
//    itself, is then less in sum;
//  * and either not at all where the outputs of the model get worse, against
//    those of `float_model`.
//
// Nothing is done, which a warning says, with less than two batches, without
// layers to do it on, and where the models cannot be compared. Error: a batch
// that cannot be read. QuantizeOptions::progress is called for each model.
absl::StatusOr<RescaledModel> RescaleWhatHelps(const ModelGraph& float_model,
                                               const BatchReader& batches,
                                               const QuantizeOptions& options);

// Whether `options` ask for rescaling: it is for the mode kStatic, without
// `compat`.
bool HasRescaling(const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_RESCALE_LAYERS_H_
