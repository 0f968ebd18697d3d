// Chooses bits and ranges of activations and weights by what they cost.
#ifndef NS_QUANTIZATION_CHOOSE_RANGES_H_
#define NS_QUANTIZATION_CHOOSE_RANGES_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model_graph.h"
#include "ns/batches/batch.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/quantization/conversion_cache.h"
#include "passes/quantization/qconfig_mapping.h"
#include "passes/quantization/quantization_report.h"

namespace ns {

struct ChooseRangesOptions {
  // The kernels that will run the model.
  kernels::SaturationMode target = kernels::SaturationMode::kFbgemmAvx2;
  // False: bits are chosen. True: activations keep their bits, and their range
  // is chosen among those of minmax, mse and percentile observers. That needs
  // observers that have kept a histogram (mse, percentile, entropy); groups of
  // others keep theirs.
  bool observers = false;
  // What conversions of the prepared model, and other choices for it, share;
  // null for a choice that stands alone.
  ConversionCache* cache = nullptr;
};

struct RangeChoices {
  // The model to convert in the place of the one that was given; absent where
  // that is best as it is.
  std::optional<ModelGraph> prepared;
  // The mapping that says the same: PrepareModel, calibration and ConvertModel
  // make of it what ConvertModel makes of `prepared`.
  QConfigMapping mapping;
  // What was measured.
  std::vector<TriedMethod> tried;
};

// Chooses for each ActivationGroup of a calibrated model
// (passes/quantization/activation_groups.h) between
//
//  * activations of 7 bits, and weights of 8 for the layers that take them;
//  * activations of 8 bits, and weights of 7 for those of these layers whose
//    pair sums could saturate on the target (layer_saturation.h) with 8;
//
// or, with `observers`, between the ranges of several observers. No way lets a
// sum saturate. Without `observers`, activations have 8 bits where no layer
// could saturate. Else the way is taken for which the mean of the noise in the
// outputs of the layers is the lowest on `batches`, as a part of their power
// (layer_trials.h); where a sum or another layer without a weight takes the
// values, too, their own noise counts as one more. Layers that have no figure
// in one of the ways, as no batch came by or there is a nan, do not count. A
// group stays as it is where no layer counts, where one of its observers has
// seen no value, and where they differ.
//
// PrepareModel has made `prepared` of `float_model` with `mapping`. Without
// batches, only what needs no measuring is chosen. Errors: those of
// MeasureLayerTrials, FoldForQuantization and ReconfigurePrepared.
absl::StatusOr<RangeChoices> ChooseRanges(const ModelGraph& float_model,
                                          const ModelGraph& prepared,
                                          const QConfigMapping& mapping,
                                          absl::Span<const Batch> batches,
                                          const ChooseRangesOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_CHOOSE_RANGES_H_
