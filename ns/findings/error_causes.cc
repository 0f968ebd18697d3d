#include "ns/findings/error_causes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "ns/findings/error_breakdown.h"
#include "ns/findings/table_figures.h"
#include "ns/result/comparison_result.h"
#include "ns/result/coverage.h"

namespace ns {
namespace {

constexpr double kSteps = 255;  // between the 256 quantized values

// A corrected bias differs from the float one, and so makes the error smaller.
// Only a difference up to this share of the error can be its cause, counting
// what of it can be seen in the output.
constexpr double kMostOfBias = 2;

// Returns mean (x - y)^2, from the share of it that the mean error has. Absent
// where that is 0.
std::optional<double> MeanSquaredError(const ErrorFigures& error) {
  return error.bias_share > 0
             ? std::make_optional(error.mean_error * error.mean_error /
                                  error.bias_share)
             : std::nullopt;
}

// Returns the part of the MSE for one end of the range: `beyond` is d. Where
// something was clipped, it is no less than what the farthest value alone
// makes.
double ClippedPower(int64_t at_end, int64_t elements, double beyond) {
  return at_end > 0 && beyond > 0
             ? std::max(static_cast<double>(at_end) / 3, 1.0) * beyond *
                   beyond / static_cast<double>(elements)
             : 0;
}

std::optional<double> ClippingPower(const ActivationComparison& figures,
                                    const LayerQParams& qparams) {
  if (!figures.codes || !figures.ranges || figures.elements.value_or(0) <= 0) {
    return std::nullopt;
  }
  const ValueRanges& ranges = *figures.ranges;
  // What goes less than a step beyond the last value may have been rounded.
  const double lowest = ranges.quantized_min - qparams.scale;
  const double highest = ranges.quantized_max + qparams.scale;
  return ClippedPower(figures.codes->at_lowest, *figures.elements,
                      lowest - ranges.float_min) +
         ClippedPower(figures.codes->at_highest, *figures.elements,
                      ranges.float_max - highest);
}

// Sets the shares of the bias, of rounding and of clipping. `mse` is that of
// the shadow.
void EstimateShares(const LayerComparison& layer, double mse,
                    ErrorShares& shares) {
  if (layer.bias) {
    shares.bias = layer.bias->mean_squared_error / mse;
  }
  if (layer.qparams && layer.shadow->codes) {
    const double scale = layer.qparams->scale;
    shares.rounding = scale * scale / 12 / mse;
    if (const auto power = ClippingPower(*layer.shadow, *layer.qparams)) {
      shares.clipping = *power / mse;
    }
  }
}

// Returns the share of a difference of biases that the output shows, 0 to 1. A
// ReLU or a clamp at 0 hides it where both models have 0: in no more values
// than the quantized output has 0 in, and in half of those of an output that
// was symmetric.
double ShownShareOfBias(const ActivationComparison& figures) {
  constexpr double kSymmetric = 0.5;
  const bool ends_at_zero = figures.ranges && figures.ranges->float_min == 0 &&
                            figures.ranges->quantized_min == 0;
  if (!ends_at_zero) {
    return 1;
  }
  const double at_zero = figures.codes && figures.elements.value_or(0) > 0
                             ? static_cast<double>(figures.codes->at_lowest) /
                                   static_cast<double>(*figures.elements)
                             : 0;
  return std::min(kSymmetric, 1 - at_zero);
}

// Makes what rounding and clipping have together what was measured. A dynamic
// layer, without an output to quantize, only rounds.
void SetMeasuredActivation(double share, ErrorShares& shares) {
  const double rounding = shares.rounding.value_or(0);
  const double clipping = shares.clipping.value_or(0);
  const double clipped =
      clipping > 0 ? share * clipping / (rounding + clipping) : 0;
  shares.rounding = share - clipped;
  if (shares.clipping) {
    shares.clipping = clipped;
  }
}

// Offers causes in turn and keeps the one with the largest share.
class Largest {
 public:
  void Offer(ErrorCause cause, std::optional<double> share) {
    // A share above 1 says no more than 1: the output was clipped afterwards.
    const double capped = std::min(share.value_or(0), 1.0);
    if (capped >= kExplainingShare && capped > share_) {
      cause_ = cause;
      share_ = capped;
    }
  }
  ErrorCause cause() const { return cause_; }

 private:
  ErrorCause cause_ = ErrorCause::kUnexplained;
  double share_ = 0;
};

// Tells the causes apart that the shares alone do not.
ErrorCause Refined(const LayerComparison& layer, ErrorCause cause) {
  const bool is_of_range = cause == ErrorCause::kClipping ||
                           cause == ErrorCause::kRounding ||
                           cause == ErrorCause::kUnexplained;
  if (is_of_range && IsUncalibrated(layer)) {
    return ErrorCause::kNeverCalibrated;
  }
  if (cause == ErrorCause::kRounding &&
      RangeRatio(layer).value_or(0) > kWideRange) {
    return ErrorCause::kRange;
  }
  const bool rounds_inputs = layer.runs_in == RunsIn::kInt8Weights;
  return cause == ErrorCause::kUnexplained && rounds_inputs
             ? ErrorCause::kRounding
             : cause;
}

}  // namespace

std::optional<double> LowestWeightDb(const LayerComparison& layer) {
  return SqnrDb(layer, Figure::kWeight);
}

std::optional<double> RangeRatio(const LayerComparison& layer) {
  const auto& figures = layer.shadow ? layer.shadow : layer.activation;
  if (!layer.qparams || !figures || !figures->codes || !figures->ranges) {
    return std::nullopt;
  }
  const double needed = std::max(figures->ranges->float_max, 0.0) -
                        std::min(figures->ranges->float_min, 0.0);
  return std::isfinite(needed) && needed > 0
             ? std::make_optional(kSteps * layer.qparams->scale / needed)
             : std::nullopt;
}

bool IsInitial(const LayerQParams& qparams) {
  return qparams.scale == 1 && qparams.zero_point == 0;
}

bool IsUncalibrated(const LayerComparison& layer) {
  if (!layer.qparams || !IsInitial(*layer.qparams)) {
    return false;
  }
  const std::optional<double> ratio = RangeRatio(layer);
  if (!ratio) {
    return false;  // No values of 8 bits are known.
  }
  const ValueRanges& ranges =
      *(layer.shadow ? layer.shadow : layer.activation)->ranges;
  return *ratio > kWideRange || ranges.float_min < -1 ||
         ranges.float_max > kSteps + 1;
}

ErrorShares ErrorSharesOf(const LayerComparison& layer) {
  ErrorShares shares;
  if (!layer.shadow || !std::isfinite(layer.shadow->error.sqnr_db)) {
    return shares;
  }
  const ActivationComparison& shadow = *layer.shadow;
  const double nsr = NoiseToSignal(shadow.error.sqnr_db);
  const auto share_of_nsr = [&](double db) { return NoiseToSignal(db) / nsr; };
  const PartShares measured = layer.measured_shares.value_or(PartShares());
  const std::optional<double> weight_db = LowestWeightDb(layer);
  if (measured.weight) {
    shares.weight = measured.weight;
  } else if (weight_db && !std::isnan(*weight_db)) {
    shares.weight = share_of_nsr(*weight_db);
  }
  if (layer.kernel && !std::isnan(layer.kernel->error.sqnr_db)) {
    shares.kernel = share_of_nsr(layer.kernel->error.sqnr_db);
  }
  if (layer.saturation && layer.saturation->shadow_sqnr_db) {
    shares.saturation = 1 - share_of_nsr(*layer.saturation->shadow_sqnr_db);
  }
  if (const auto mse = MeanSquaredError(shadow.error)) {
    EstimateShares(layer, *mse, shares);
  }
  if (measured.activation) {
    SetMeasuredActivation(*measured.activation, shares);
  }
  return shares;
}

ErrorCause CauseOf(const LayerComparison& layer) {
  if (!layer.has_weight_of.empty()) {
    return ErrorCause::kSwapped;
  }
  if (!layer.shadow || layer.shadow->error.sqnr_db == INFINITY) {
    return ErrorCause::kNone;
  }
  const ErrorShares shares = ErrorSharesOf(layer);
  const bool is_bias_missing = layer.bias && layer.bias->is_missing;
  if (is_bias_missing && shares.bias.value_or(0) >= kExplainingShare) {
    return ErrorCause::kBias;
  }
  if (LowestWeightDb(layer).value_or(INFINITY) < kOtherWeightDb &&
      shares.weight.value_or(0) >= kExplainingShare) {
    return ErrorCause::kWeight;
  }
  // Of equal shares the first counts: what comes earlier in the layer.
  Largest largest;
  largest.Offer(ErrorCause::kSaturation, shares.saturation);
  largest.Offer(ErrorCause::kKernel, shares.kernel);
  largest.Offer(ErrorCause::kWeight, shares.weight);
  // Biases of recurrent layers, which have several weights, are not corrected,
  // and gates hide some of what they do.
  if (layer.weights.size() > 1 ||
      shares.bias.value_or(0) * ShownShareOfBias(*layer.shadow) <=
          kMostOfBias) {
    largest.Offer(ErrorCause::kBias, shares.bias);
  }
  largest.Offer(ErrorCause::kClipping, shares.clipping);
  largest.Offer(ErrorCause::kRounding, shares.rounding);
  return Refined(layer, largest.cause());
}

}  // namespace ns
