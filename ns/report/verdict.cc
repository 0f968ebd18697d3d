#include "ns/report/verdict.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ns/report/blame.h"
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

// In dB. A layer whose local error is above is not broken, and neither is one
// whose accumulated error is.
constexpr double kHarmless = 20;

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

std::string WeightText(const LayerComparison& layer) {
  const std::string has =
      absl::StrCat("its weight has ", DbWithUnit(LowestWeightDb(layer)));
  return layer.weight_only
             ? absl::StrCat(has, " and alone brings its output to ",
                            DbWithUnit(layer.weight_only->sqnr_db),
                            ChannelText(layer))
             : absl::StrCat(has, ChannelText(layer));
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

// Returns "neither weight, bias, scale nor clipping explains it", of what was
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
    return "no figure says why";
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
                 ? "it makes numbers of infinities, such as those of an "
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
    case ErrorCause::kNone:
    case ErrorCause::kUnpaired:
    case ErrorCause::kUnexplained:
      break;
  }
  if (layer.kernel.has_value() || !layer.shadow) {
    return "no figure says why";
  }
  return absl::StrCat(
      UnexplainedText(layer), "; ",
      layer.weight_only || layer.activation_only
          ? "--what=weights,activations,shadows,kernel tells whether the "
            "kernel "
            "does"
          : "--parts tells what the weight and the activations do alone");
}

std::string BlameSentence(const ComparisonResult& result, const Blame& blame) {
  const LayerComparison& layer = result.layers[blame.layer];
  const OutputComparison* output =
      layer.shadow ? OffendingOutput(layer) : nullptr;
  const std::string local =
      layer.shadow
          ? absl::StrCat(" (",
                         DbWithUnit(SqnrDb(layer, output, Figure::kShadow)),
                         " by itself)")
          : "";
  return absl::StrCat(OutputLabel(layer, output), " does most harm", local,
                      ": ", ReasonText(result, blame), ".");
}

// Whether some layer has the figure, and it is exact in all that have it.
bool IsExact(const ComparisonResult& result, Figure figure) {
  const auto figure_of = [figure](const LayerComparison& layer) {
    return LowestSqnr(layer, figure).db;
  };
  return absl::c_any_of(
             result.layers,
             [&](const auto& layer) { return figure_of(layer).has_value(); }) &&
         absl::c_all_of(result.layers, [&](const auto& layer) {
           return figure_of(layer).value_or(INFINITY) == INFINITY;
         });
}

std::string NoBlameSentence(const ComparisonResult& result) {
  const Figure figure = result.has_shadows       ? Figure::kShadow
                        : result.has_activations ? Figure::kActivation
                                                 : Figure::kWeight;
  const Layers ranked = Ranked(result, figure);
  if (ranked.empty()) {
    return IsExact(result, figure) ? "No layer differs from its float form."
                                   : "No figure tells which layer does harm.";
  }
  return absl::StrCat(figure == Figure::kActivation
                          ? "Shadows tell which layer does harm, and were "
                            "not measured: the lowest "
                          : "No layer stands out: the lowest ",
                      FigureName(figure), " SQNR is ",
                      DbWithUnit(RankedSqnr(*ranked.front(), figure).db),
                      ", of ", NameOf(*ranked.front()), ".");
}

// Whether what only one model has does more harm than the layer to blame, if
// there is one.
bool DoesMoreHarm(const ComparisonResult& result, const UnpairedFall& fall,
                  const std::optional<Blame>& blame) {
  if (fall.accumulated_db >= kHarmless) {
    return false;
  }
  if (!blame.has_value()) {
    return true;
  }
  switch (blame->cause) {
    case ErrorCause::kWeight:
    case ErrorCause::kClipping:
    case ErrorCause::kRange:
    case ErrorCause::kRounding:
    case ErrorCause::kUnexplained: {
      const LayerComparison& layer = result.layers[blame->layer];
      const std::optional<double> local =
          SqnrDb(layer, OffendingOutput(layer), Figure::kShadow);
      return local.has_value() && *local >= kHarmless;
    }
    default:
      return false;  // A mistake in one layer, whatever its error is.
  }
}

std::string UnpairedSentence(const ComparisonResult& result,
                             const UnpairedFall& fall) {
  const LayerComparison& layer = result.layers[fall.layer];
  return absl::StrCat(OutputLabel(layer, fall.output), " falls to ",
                      DbWithUnit(fall.accumulated_db), " accumulated, ",
                      DbWithUnit(fall.expected_db),
                      " expected: ", Printable(layer.unpaired_input), ".");
}

std::string FallSentence(const ComparisonResult& result,
                         const std::optional<UnpairedFall>& unpaired) {
  const std::optional<size_t> fall = FirstUnexplainedFall(result);
  if (!fall.has_value()) {
    return absl::StrCat("Local errors explain every ", unpaired ? "other " : "",
                        "fall of the accumulated SQNR.");
  }
  const LayerComparison& layer = result.layers[*fall];
  const OutputComparison* output = UnexplainedOutput(result, *fall);
  return absl::StrCat(
      "The first fall that no local error explains is at ",
      OutputLabel(layer, output), ": ",
      DbWithUnit(SqnrDb(layer, output, Figure::kActivation)), " accumulated, ",
      DbWithUnit(ExpectedAccumulatedDb(result, *fall, output)), " expected.");
}

// Names the layers with a large error that is taken back; empty without any.
std::string TakenBackSentence(const ComparisonResult& result) {
  const std::vector<bool> taken_back = TakenBack(result);
  constexpr size_t kMostNamed = 3;
  std::vector<std::string> names;
  for (size_t i = 0; i < taken_back.size(); ++i) {
    if (taken_back[i] &&
        SqnrDb(result.layers[i], Figure::kShadow).value_or(INFINITY) <
            kHarmless) {
      names.push_back(NameOf(result.layers[i]));
    }
  }
  if (names.empty()) {
    return "";
  }
  const size_t more = names.size() - std::min(names.size(), kMostNamed);
  names.resize(names.size() - more);
  return absl::StrCat("What ", absl::StrJoin(names, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "",
                      " lose by themselves is taken back behind them, as "
                      "where factors were moved between layers.");
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
  // Layers in another order have other inputs, which is said already.
  const std::optional<UnpairedFall> unpaired =
      result.swapped ? std::nullopt : FirstUnpairedFall(result);
  const bool is_unpaired =
      unpaired.has_value() && DoesMoreHarm(result, *unpaired, blame);
  if (is_unpaired) {
    verdict.layer = unpaired->layer;
    verdict.cause = ErrorCause::kUnpaired;
    verdict.sentences.push_back(UnpairedSentence(result, *unpaired));
  } else if (blame.has_value()) {
    verdict.layer = blame->layer;
    verdict.cause = blame->cause;
  }
  if (blame.has_value()) {
    verdict.sentences.push_back(BlameSentence(result, *blame));
  } else if (!is_unpaired) {
    verdict.sentences.push_back(NoBlameSentence(result));
  }
  if (std::string sentence = TakenBackSentence(result); !sentence.empty()) {
    verdict.sentences.push_back(std::move(sentence));
  }
  if (unpaired.has_value() && !is_unpaired) {
    verdict.sentences.push_back(UnpairedSentence(result, *unpaired));
  }
  if (result.has_activations && result.has_shadows) {
    verdict.sentences.push_back(FallSentence(result, unpaired));
  }
  if (result.has_activations || result.has_shadows) {
    verdict.sentences.push_back(ClippingSentence(result) +
                                EmulationSentence(result));
  }
  return verdict;
}

}  // namespace ns
