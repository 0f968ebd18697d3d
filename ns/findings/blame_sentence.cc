#include "ns/findings/blame_sentence.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ns/findings/blame.h"
#include "ns/findings/coarse_squares.h"
#include "ns/findings/error_breakdown.h"
#include "ns/findings/error_causes.h"
#include "ns/findings/figure_text.h"
#include "ns/findings/input_mismatch.h"
#include "ns/findings/output_shares.h"
#include "ns/findings/output_view.h"
#include "ns/findings/recurrent_state.h"
#include "ns/findings/saturation.h"
#include "ns/findings/shared_scale.h"
#include "ns/findings/table_figures.h"
#include "ns/findings/unbalanced_inputs.h"
#include "ns/result/comparison_result.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

std::string NameOf(const LayerComparison& layer) {
  return Printable(layer.name);
}

std::string Percent(double share) {
  return absl::StrFormat("%.*f %%", share < 0.01 ? 2 : 1, 100 * share);
}

// Returns "2.3 % of its values are clipped to its range, which is -2 to 1.9
// where the float values are -4.1 to 3.9".
std::string ClippingText(const LayerComparison& layer) {
  const ValueRanges& ranges = *layer.shadow->ranges;
  return absl::StrFormat(
      "%s of its values are clipped to its range, which is %.4g to %.4g where "
      "the float values are %.4g to %.4g",
      Percent(ClippedShare(layer).value_or(0)), ranges.quantized_min,
      ranges.quantized_max, ranges.float_min, ranges.float_max);
}

std::string ChannelText(const LayerComparison& layer) {
  return layer.shadow && !layer.shadow->worst_channels.empty()
             ? absl::StrCat(", most of all in output channel ",
                            layer.shadow->worst_channels.front().channel)
             : "";
}

// Returns " and makes 96.0 % of the error" where the figure of the weight does
// not show that: large inputs meet small weights.
std::string MeasuredText(const LayerComparison& layer) {
  constexpr double kFarBelow = 3;  // dB
  const std::optional<PartShares>& shares = layer.measured_shares;
  if (!shares || !shares->weight ||
      LowestWeightDb(layer).value_or(-INFINITY) <
          layer.shadow->error.sqnr_db + kFarBelow) {
    return "";
  }
  return *shares->weight > 1
             ? " and makes all of the error, of which a corrected bias or a "
               "clamp takes back some"
             : absl::StrCat(" and makes ", Percent(*shares->weight),
                            " of the error");
}

std::string WeightText(const LayerComparison& layer) {
  const std::string has =
      absl::StrCat("its weight has ", DbWithUnit(LowestWeightDb(layer)));
  if (layer.weight_only) {
    return absl::StrCat(has, " and alone brings its output to ",
                        DbWithUnit(layer.weight_only->sqnr_db),
                        ChannelText(layer));
  }
  return absl::StrCat(has, MeasuredText(layer), ChannelText(layer));
}

// Returns "its inputs share one range, but the largest spreads 640 times as
// wide as k.sigmoid, which is left with 0.0 dB".
std::string UnbalancedText(const ComparisonResult& result) {
  const std::optional<UnbalancedInput> found = WorstUnbalancedInput(result);
  if (!found) {
    return "one of its inputs is lost in the range of another";
  }
  const std::string input = NameOf(result.layers[found->input]);
  return absl::StrFormat(
      "its inputs share one range, but the largest spreads %.0f times as wide "
      "as %s, which is left with %s",
      found->ratio, input, DbWithUnit(found->sqnr_db));
}

// Returns "63 of its 64 channels have less than 3 dB, in a range that a few
// others need".
std::string OutlierText(const LayerComparison& layer) {
  const ChannelSummary& channels = *layer.shadow->channels;
  return absl::StrCat(channels.below_3db, " of its ", channels.channels,
                      " channels have less than 3 dB, in a range that a few "
                      "others need");
}

// Returns "2 of its 12 channels have one value, and several in the float
// model".
std::string DeadText(const LayerComparison& layer) {
  const ChannelSummary& channels = *layer.shadow->channels;
  return absl::StrCat(channels.dead, " of its ", channels.channels,
                      " channels have one value, and several in the float "
                      "model");
}

// Returns "sqrt after it has 18.9 dB, and what flows into that 32.4 dB: small
// values are lost in its steps of 0.0123".
std::string SquaresText(const ComparisonResult& result) {
  const std::optional<CoarseSquares> found = FindCoarseSquares(result);
  if (!found) {
    return "small values are lost in its steps";
  }
  return absl::StrFormat(
      "%s after it has %s, and what flows into that %s: small values are lost "
      "in its steps of %.4g",
      NameOf(result.layers[found->reader]), DbWithUnit(found->after_db),
      DbWithUnit(found->before_db), result.layers[found->layer].qparams->scale);
}

// Returns how many times as wide the values of `other` are as those of `layer`,
// which has the same range.
double WidthRatio(const LayerComparison& layer, const LayerComparison& other) {
  return *RangeRatio(layer) / *RangeRatio(other);
}

std::string SharedScaleText(const ComparisonResult& result, size_t index) {
  const std::optional<size_t> other = SharesScaleWith(result, index);
  if (!other) {
    return "its scale is that of another place";
  }
  const LayerComparison& layer = result.layers[index];
  return absl::StrFormat(
      "its scale, %.4g, is that of %s, whose values are %.0f times as large",
      layer.qparams->scale, NameOf(result.layers[*other]),
      WidthRatio(layer, result.layers[*other]));
}

// Returns "the inputs go from 0 to 255, which is 126 times as wide as the range
// that the model was calibrated for".
std::string MismatchText(const LayerComparison& layer) {
  const std::optional<InputMismatch> found = InputMismatchOf(layer);
  if (!found) {
    return "the inputs are not those that the model was calibrated for";
  }
  const ValueRanges& ranges =
      *(layer.shadow ? layer.shadow : layer.activation)->ranges;
  const std::string go = absl::StrFormat("the inputs go from %.4g to %.4g, ",
                                         ranges.float_min, ranges.float_max);
  switch (found->kind) {
    case InputMismatch::Kind::kWider:
      return absl::StrFormat(
          "%swhich is %.0f times as wide as the range that the model was "
          "calibrated for",
          go, found->width);
    case InputMismatch::Kind::kShifted:
      return absl::StrCat(go, "and ", Percent(found->clipped),
                          " of them are beyond the range that the model was "
                          "calibrated for");
    case InputMismatch::Kind::kNarrower:
      break;
  }
  return absl::StrFormat(
      "%sand the range that the model was calibrated for is %.0f times as wide",
      go, 1 / found->width);
}

std::string SwappedText(const ComparisonResult& result,
                        const LayerComparison& layer) {
  return !layer.has_weight_of.empty()
             ? absl::StrCat("it has the weight of ",
                            Printable(layer.has_weight_of))
             : absl::StrCat("it runs before ",
                            Printable(result.swapped->second),
                            ", and after it in the float model");
}

// Returns "neither weight, bias, scale nor clipping explains it", for what was
// compared.
std::string UnexplainedText(const LayerComparison& layer) {
  std::vector<absl::string_view> compared;
  if (!layer.weights.empty()) {
    compared.push_back("weight");
  }
  if (layer.bias) {
    compared.push_back("bias");
  }
  if (layer.qparams) {
    compared.push_back("scale");
    compared.push_back("clipping");
  }
  if (compared.empty()) {
    return "no figure explains it";
  }
  const absl::string_view last = compared.back();
  compared.pop_back();
  return compared.empty()
             ? absl::StrCat("its ", last, " does not explain it")
             : absl::StrCat("neither ", absl::StrJoin(compared, ", "), " nor ",
                            last, " explains it");
}

// Says why, by the figures that were measured.
std::string ReasonText(const ComparisonResult& result, const Blame& blame) {
  const LayerComparison& layer = result.layers[blame.layer];
  switch (blame.cause) {
    case ErrorCause::kNonFinite:
      return LosesInfinities(layer)
                 ? "it turns infinities into numbers, such as those of an "
                   "attention mask, which its float form keeps"
                 : "it makes NaN or infinities where its float form has "
                   "numbers";
    case ErrorCause::kSwapped:
      return SwappedText(result, layer);
    case ErrorCause::kBias:
      return layer.bias->is_missing
                 ? "it has no bias, and the float layer has one"
                 : absl::StrFormat(
                       "its bias is off by %.3g (root of the mean square)",
                       std::sqrt(layer.bias->mean_squared_error));
    case ErrorCause::kWeight:
      return WeightText(layer);
    case ErrorCause::kClipping:
      return ClippingText(layer);
    case ErrorCause::kRange:
      return absl::StrFormat(
          "its scale, %.4g, makes a range %.1f times as wide as its values "
          "need",
          layer.qparams->scale, *RangeRatio(layer));
    case ErrorCause::kKernel:
      return absl::StrCat("its kernel has ",
                          DbWithUnit(layer.kernel->error.sqnr_db),
                          " against a reference kernel");
    case ErrorCause::kSaturation:
      return absl::StrFormat("saturating sums cost it %.1f dB on %s",
                             *layer.saturation->shadow_cost_db,
                             result.emulated);
    case ErrorCause::kRounding:
      return "its values lose this by rounding to 8 bits, in a range that fits";
    case ErrorCause::kNeverCalibrated:
      return "it was never calibrated: its scale is 1 and its zero point 0, "
             "with which observers start";
    case ErrorCause::kUnbalancedInputs:
      return UnbalancedText(result);
    case ErrorCause::kOutlierChannel:
      return OutlierText(layer);
    case ErrorCause::kCoarseSquares:
      return SquaresText(result);
    case ErrorCause::kDeadChannels:
      return DeadText(layer);
    case ErrorCause::kSharedScale:
      return SharedScaleText(result, blame.layer);
    case ErrorCause::kSharedWeight:
      return absl::StrCat("it runs with the weight of ",
                          Printable(layer.shares_weight_with),
                          ", another call of its module, into which more was "
                          "folded");
    case ErrorCause::kInputMismatch:
      return MismatchText(layer);
    case ErrorCause::kRecurrentState: {
      const std::vector<double> steps = StepsOf(result, blame.layer);
      return absl::StrCat("it has ", DbWithUnit(steps.front()),
                          " in the first of ", steps.size(), " steps, and ",
                          DbWithUnit(steps.back()), " in the last");
    }
    case ErrorCause::kAxisOrder:
    case ErrorCause::kNone:
    case ErrorCause::kReducedRange:
    case ErrorCause::kRescaled:
    case ErrorCause::kTrainingMode:
    case ErrorCause::kUnpaired:
    case ErrorCause::kUnexplained:
      break;
  }
  if (layer.kernel.has_value() || !layer.shadow) {
    return "no figure explains it";
  }
  return absl::StrCat(
      UnexplainedText(layer), "; ",
      layer.weight_only || layer.activation_only || layer.measured_shares
          ? "--what=weights,activations,shadows,kernel shows whether the "
            "kernel does"
          : "--parts measures what the weight and the activations do alone");
}

// Returns " makes 45 % of the output's error" where that is known and is much.
std::string WhatItDoes(const ComparisonResult& result,
                       const LayerComparison& layer) {
  return SharesHold(result) && layer.output_share.value_or(0) > kSpreadShare
             ? absl::StrFormat(" makes %.0f %% of the output's error",
                               100 * *layer.output_share)
             : " is to blame";
}

}  // namespace

std::string BlameSentence(const ComparisonResult& result, const Blame& blame) {
  const LayerComparison& layer = result.layers[blame.layer];
  const OutputComparison* output =
      layer.shadow ? OffendingOutput(layer) : nullptr;
  // What is lost of one input, or of some channels, its own figure does not
  // show.
  const std::string local =
      layer.shadow && blame.cause != ErrorCause::kUnbalancedInputs &&
              blame.cause != ErrorCause::kOutlierChannel &&
              blame.cause != ErrorCause::kCoarseSquares &&
              blame.cause != ErrorCause::kDeadChannels
          ? absl::StrCat(" (",
                         DbWithUnit(SqnrDb(layer, output, Figure::kShadow)),
                         " by itself)")
          : "";
  return absl::StrCat(OutputLabel(layer, output), WhatItDoes(result, layer),
                      local, ": ", ReasonText(result, blame),
                      HasRangeOfReplaced(result, blame)
                          ? absl::StrCat("; ", Printable(layer.replaced_input))
                          : "",
                      ".");
}

}  // namespace ns
