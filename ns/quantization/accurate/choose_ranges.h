// Chooses bits and ranges of activations and weights by what they cost.
#ifndef NS_QUANTIZATION_ACCURATE_CHOOSE_RANGES_H_
#define NS_QUANTIZATION_ACCURATE_CHOOSE_RANGES_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "passes/quantization/convert/conversion_cache.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "passes/quantization/qconfig/quantization_target.h"

namespace ns {

struct ChooseRangesOptions {
  // Where the model will run.
  QuantizationTarget target = QuantizationTarget::kFbgemmAvx2;
  // False: bits are chosen. True: activations keep their bits, and their range
  // is chosen among those of minmax, mse and percentile observers. That needs
  // observers that have kept a histogram (mse, percentile, entropy); groups of
  // others keep theirs.
  bool observers = false;
  // A cache to share with conversions of the prepared model and with other
  // choices for it; not owned. Null for a choice that stands alone.
  ConversionCache* cache = nullptr;
};

struct RangeChoices {
  // The model to convert in the place of the one that was given; absent where
  // that is best as it is.
  std::optional<ModelGraph> prepared;
  // The mapping that says the same: PrepareModel, calibration and ConvertModel
  // make of it what ConvertModel makes of `prepared`.
  QConfigMapping mapping;
  // The ways that were measured beside the present one of their group. Those
  // that were chosen are kept (IsKept).
  std::vector<TriedMethod> tried;
};

// Chooses for each ActivationGroup of a calibrated model
// (passes/quantization/observe/activation_groups.h) one of several ways to
// quantize it. Without `observers`, the ways are
//
//  * activations of 7 bits, and weights of 8 for the layers that take them;
//  * activations of 8 bits, and weights of 7 for those of these layers whose
//    pair sums could saturate on the target (layer_saturation.h) with 8;
//
// and the second is taken, without measuring, where none of these layers could
// saturate. With `observers`, the ways are the ranges of several observers. In
// no way can a sum saturate: weights get 7 bits where they need it.
//
// Of several ways, the one with the lowest mean noise on `batches` is taken.
// The mean is over the layers that take the values of the group; each counts
// with the noise in its output as a part of the power of that output
// (layer_trials.h). If layers without a weight, such as sums, take the values,
// too, the noise of the values themselves counts as that of one more layer. A
// layer does not count when it has no figure in one of the ways, because no
// batch reached it or its values hold a nan. Activations of a group stay as
// they are when no layer counts. The group is left out altogether when one of
// its observers has seen no value, or when its observers have different
// configs.
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

#endif  // NS_QUANTIZATION_ACCURATE_CHOOSE_RANGES_H_
