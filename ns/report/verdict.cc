#include "ns/report/verdict.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ns/report/error_breakdown.h"
#include "ns/report/error_causes.h"
#include "ns/report/figure_text.h"
#include "ns/report/output_view.h"
#include "ns/report/saturation.h"
#include "ns/report/table_figures.h"
#include "ns/suite/comparison_result.h"
#include "ns/suite/printable.h"

namespace ns {
namespace {

// Below this SQNR in dB, a weight or value is another one, not just rounded.
constexpr double kOtherDb = 10;
// From this local SQNR on, in dB, a layer is blamed for a mistake only.
constexpr double kGoodDb = 30;
// Errors within this ratio of powers, 10 dB, are alike.
constexpr double kAlike = 10;

struct Blame {
  size_t layer;
  ErrorCause cause;
};

std::string NameOf(const LayerComparison& layer) {
  return Printable(layer.name);
}

std::optional<size_t> IndexOf(const ComparisonResult& result,
                              const std::string& name) {
  const auto found = absl::c_find_if(
      result.layers,
      [&](const LayerComparison& layer) { return layer.name == name; });
  return found == result.layers.end()
             ? std::nullopt
             : std::make_optional<size_t>(found - result.layers.begin());
}

// Whether each layer is in front of layer `index`, or is that layer.
std::vector<bool> InFrontOf(const ComparisonResult& result, size_t index) {
  std::vector<bool> reached(result.layers.size());
  std::vector<size_t> open = {index};
  while (!open.empty()) {
    const size_t layer = open.back();
    open.pop_back();
    if (layer < reached.size() && !reached[layer]) {
      reached[layer] = true;
      absl::c_copy(result.layers[layer].producers, std::back_inserter(open));
    }
  }
  return reached;
}

// A bias is corrected for what rounding does to the weight, on purpose: that it
// is another one is wrong only where it does harm.
bool IsWrongBias(const LayerComparison& layer) {
  return layer.bias->is_missing ||
         (layer.shadow && layer.shadow->error.sqnr_db < kGoodDb);
}

bool IsWrong(const LayerComparison& layer, ErrorCause cause) {
  return cause == ErrorCause::kSwapped ||
         (cause == ErrorCause::kBias && IsWrongBias(layer)) ||
         (cause == ErrorCause::kWeight &&
          LowestWeightDb(layer).value_or(INFINITY) < kOtherDb);
}

// Whether no calibration would choose what the layer has.
bool IsMistake(const LayerComparison& layer, ErrorCause cause) {
  constexpr double kNoRange = 8;
  return IsWrong(layer, cause) || cause == ErrorCause::kNonFinite ||
         (cause == ErrorCause::kRange &&
          RangeRatio(layer).value_or(0) >= kNoRange);
}

// Whether the local errors of the two are alike, or that of `layer` is larger.
bool IsAlike(const LayerComparison& layer, const LayerComparison& worst) {
  return layer.unpaired_input.empty() && layer.shadow &&
         NoiseToSignal(layer.shadow->error.sqnr_db) * kAlike >=
             NoiseToSignal(worst.shadow->error.sqnr_db);
}

// Returns the layer that does most harm by a mistake, and not much less than
// `worst`, of whose error nothing is known.
std::optional<Blame> MistakeLike(const ComparisonResult& result,
                                 const LayerComparison& worst) {
  std::optional<Blame> blame;
  double lowest = INFINITY;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    const ErrorCause cause = CauseOf(layer);
    if (IsMistake(layer, cause) && IsAlike(layer, worst) &&
        layer.shadow->error.sqnr_db < lowest) {
      blame = Blame{i, cause};
      lowest = layer.shadow->error.sqnr_db;
    }
  }
  return blame;
}

// Returns the first layer in front of `worst`, which clips, that is to blame.
std::optional<Blame> RootOf(const ComparisonResult& result,
                            const Blame& worst) {
  const std::vector<bool> in_front = InFrontOf(result, worst.layer);
  std::optional<Blame> clipping;
  for (size_t i = 0; i < worst.layer; ++i) {
    const LayerComparison& layer = result.layers[i];
    if (!in_front[i] || !IsAlike(layer, result.layers[worst.layer])) {
      continue;
    }
    const ErrorCause cause = CauseOf(layer);
    if (IsWrong(layer, cause)) {
      return Blame{i, cause};
    }
    if (cause == ErrorCause::kClipping && !clipping) {
      clipping = Blame{i, cause};
    }
  }
  return clipping;
}

std::optional<Blame> BlameByWeights(const ComparisonResult& result) {
  std::optional<Blame> lowest;
  double lowest_db = kOtherDb;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (!layer.has_weight_of.empty()) {
      return Blame{i, ErrorCause::kSwapped};
    }
    const double db = LowestWeightDb(layer).value_or(INFINITY);
    if (db < lowest_db) {
      lowest = Blame{i, ErrorCause::kWeight};
      lowest_db = db;
    }
  }
  return lowest;
}

std::optional<Blame> BlameByShadows(const ComparisonResult& result) {
  const std::optional<size_t> index = WorstOffender(result);
  if (!index.has_value()) {
    return std::nullopt;
  }
  const LayerComparison& layer = result.layers[*index];
  const OutputComparison* const output = OffendingOutput(layer);
  const std::optional<ActivationComparison>& shadow =
      output == nullptr ? layer.shadow : output->shadow;
  if (shadow && !IsOfFiniteValues(*shadow)) {
    return Blame{*index, ErrorCause::kNonFinite};
  }
  // Shares are known of the first output.
  const Blame worst = {
      *index, output == nullptr ? CauseOf(layer) : ErrorCause::kUnexplained};
  switch (worst.cause) {
    case ErrorCause::kClipping:
      return RootOf(result, worst).value_or(worst);
    case ErrorCause::kRounding:
    case ErrorCause::kUnexplained:
      return output == nullptr ? MistakeLike(result, layer).value_or(worst)
                               : worst;
    default:
      return worst;
  }
}

std::optional<Blame> BlameOf(const ComparisonResult& result) {
  if (result.swapped.has_value()) {
    const std::optional<size_t> first = IndexOf(result, result.swapped->first);
    // What it computes is another value, unless the order does not matter.
    if (first &&
        SqnrDb(result.layers[*first], Figure::kActivation).value_or(-INFINITY) <
            kOtherDb) {
      return Blame{*first, ErrorCause::kSwapped};
    }
  }
  std::optional<Blame> blame =
      result.has_shadows ? BlameByShadows(result) : BlameByWeights(result);
  if (blame && !IsMistake(result.layers[blame->layer], blame->cause) &&
      RankedSqnr(result.layers[blame->layer], Figure::kShadow).db.value_or(0) >=
          kGoodDb) {
    return std::nullopt;
  }
  return blame;
}

std::string Db(std::optional<double> db) {
  return db == INFINITY ? "exact" : absl::StrCat(FormatDb(db), " dB");
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

std::string SwappedText(const ComparisonResult& result,
                        const LayerComparison& layer) {
  return !layer.has_weight_of.empty()
             ? absl::StrCat("it has the weight of ",
                            Printable(layer.has_weight_of))
             : absl::StrCat("it runs before ",
                            Printable(result.swapped->second),
                            ", and behind it in the float model");
}

// Says why, by the figures that were measured.
std::string ReasonText(const ComparisonResult& result, const Blame& blame) {
  const LayerComparison& layer = result.layers[blame.layer];
  switch (blame.cause) {
    case ErrorCause::kNonFinite:
      return "it makes NaN or infinities where its float form has numbers";
    case ErrorCause::kSwapped:
      return SwappedText(result, layer);
    case ErrorCause::kBias:
      return layer.bias->is_missing
                 ? "it has no bias, and the float layer has one"
                 : absl::StrFormat(
                       "its bias is off by %.3g (root of the mean square)",
                       std::sqrt(layer.bias->mean_squared_error));
    case ErrorCause::kWeight:
      return absl::StrCat("its weight has ", Db(LowestWeightDb(layer)),
                          ChannelText(layer));
    case ErrorCause::kClipping:
      return ClippingText(layer);
    case ErrorCause::kRange:
      return absl::StrFormat(
          "its scale, %.4g, makes a range %.1f times as wide as its values "
          "need",
          layer.qparams->scale, *RangeRatio(layer));
    case ErrorCause::kKernel:
      return absl::StrCat("its kernel has ", Db(layer.kernel->error.sqnr_db),
                          " against a reference kernel");
    case ErrorCause::kSaturation:
      return absl::StrFormat("saturating sums cost it %.1f dB on %s",
                             *layer.saturation->shadow_cost_db,
                             result.emulated);
    case ErrorCause::kRounding:
      return "its values lose this by rounding to 8 bits, in a range that fits";
    case ErrorCause::kNone:
    case ErrorCause::kUnexplained:
      break;
  }
  return layer.kernel.has_value() || !layer.shadow
             ? "no figure says why"
             : "neither weight, bias, scale nor clipping explains it; "
               "--what=weights,activations,shadows,kernel tells whether the "
               "kernel does";
}

std::string BlameSentence(const ComparisonResult& result, const Blame& blame) {
  const LayerComparison& layer = result.layers[blame.layer];
  const OutputComparison* output =
      layer.shadow ? OffendingOutput(layer) : nullptr;
  const std::string local =
      layer.shadow
          ? absl::StrCat(" (", Db(SqnrDb(layer, output, Figure::kShadow)),
                         " by itself)")
          : "";
  return absl::StrCat(OutputLabel(layer, output), " does most harm", local,
                      ": ", ReasonText(result, blame), ".");
}

std::string NoBlameSentence(const ComparisonResult& result) {
  const Figure figure = result.has_shadows ? Figure::kShadow : Figure::kWeight;
  const Layers ranked = Ranked(result, figure);
  return ranked.empty()
             ? "No layer differs from its float form."
             : absl::StrCat("No layer stands out: the lowest ",
                            FigureName(figure), " SQNR is ",
                            Db(RankedSqnr(*ranked.front(), figure).db), ", of ",
                            NameOf(*ranked.front()), ".");
}

std::string FallSentence(const ComparisonResult& result) {
  const std::optional<size_t> fall = FirstUnexplainedFall(result);
  if (!fall.has_value()) {
    return "Local errors explain every fall of the accumulated SQNR.";
  }
  const LayerComparison& layer = result.layers[*fall];
  const OutputComparison* output = UnexplainedOutput(result, *fall);
  return absl::StrCat(
      "The first fall that no local error explains is at ",
      OutputLabel(layer, output), ": ",
      Db(SqnrDb(layer, output, Figure::kActivation)), " accumulated, ",
      Db(ExpectedAccumulatedDb(result, *fall, output)), " expected.");
}

std::string ClippingSentence(const ComparisonResult& result) {
  const std::vector<Saturation> layers = SaturatingLayers(result);
  if (layers.empty()) {
    return absl::StrCat("No layer clips more than ", Percent(kSaturationLimit),
                        " of its values.");
  }
  const Saturation& most = layers.front();
  return absl::StrCat(
      layers.size(), layers.size() == 1 ? " layer clips" : " layers clip",
      " more than ", Percent(kSaturationLimit), " of the values, most of all ",
      NameOf(result.layers[most.layer]), " with ",
      Percent(std::max(most.at_lowest, most.at_highest)), " at one end.");
}

// Returns " On fbgemm-avx2, sums saturate in 2 layers." where one was emulated.
std::string EmulationSentence(const ComparisonResult& result) {
  if (result.emulated.empty()) {
    return "";
  }
  const auto saturating =
      absl::c_count_if(result.layers, [](const LayerComparison& layer) {
        return layer.saturation && layer.saturation->saturated.value_or(0) > 0;
      });
  return absl::StrCat(" On ", Printable(result.emulated),
                      ", sums of products saturate in ", saturating,
                      saturating == 1 ? " layer." : " layers.");
}

}  // namespace

std::optional<Verdict> VerdictOf(const ComparisonResult& result) {
  const bool is_measured =
      absl::c_any_of(result.layers, [](const LayerComparison& layer) {
        return layer.shadow.has_value() || !layer.weights.empty();
      });
  if (!is_measured || !result.inputs_are_finite) {
    return std::nullopt;
  }
  Verdict verdict;
  const std::optional<Blame> blame = BlameOf(result);
  if (blame.has_value()) {
    verdict.layer = blame->layer;
    verdict.cause = blame->cause;
  }
  verdict.sentences.push_back(blame ? BlameSentence(result, *blame)
                                    : NoBlameSentence(result));
  if (result.has_activations && result.has_shadows) {
    verdict.sentences.push_back(FallSentence(result));
  }
  if (result.has_activations || result.has_shadows) {
    verdict.sentences.push_back(ClippingSentence(result) +
                                EmulationSentence(result));
  }
  return verdict;
}

}  // namespace ns
