#include "ns/findings/verdict.h"

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
#include "ns/findings/axis_order.h"
#include "ns/findings/blame.h"
#include "ns/findings/blame_sentence.h"
#include "ns/findings/calibration.h"
#include "ns/findings/error_breakdown.h"
#include "ns/findings/error_causes.h"
#include "ns/findings/figure_text.h"
#include "ns/findings/output_shares.h"
#include "ns/findings/output_view.h"
#include "ns/findings/outputs_of_model.h"
#include "ns/findings/reduced_range.h"
#include "ns/findings/saturation.h"
#include "ns/findings/table_figures.h"
#include "ns/findings/unexplained_falls.h"
#include "ns/result/comparison_result.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

// In dB. A layer whose local error is above is not broken, and neither is one
// whose accumulated error is.
constexpr double kHarmless = 20;
// A layer whose local SQNR, in dB, is below is broken.
constexpr double kBroken = 10;

std::string NameOf(const LayerComparison& layer) {
  return Printable(layer.name);
}

std::string Percent(double share) {
  return absl::StrFormat("%.*f %%", share < 0.01 ? 2 : 1, 100 * share);
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
  if (SharesHold(result)) {
    const LayerComparison& most = result.layers[LayersByShare(result)[0]];
    return absl::StrFormat(
        "No layer stands out: the largest part of the output's error, %.0f %%, "
        "comes from %s (%s by itself).",
        100 * *most.output_share, NameOf(most),
        DbWithUnit(SqnrDb(most, Figure::kShadow)));
  }
  const Figure figure = result.has_shadows       ? Figure::kShadow
                        : result.has_activations ? Figure::kActivation
                                                 : Figure::kWeight;
  const Layers ranked = Ranked(result, figure);
  if (ranked.empty()) {
    return IsExact(result, figure) ? "No layer differs from its float form."
                                   : "No figure shows which layer does harm.";
  }
  const double lowest = RankedSqnr(*ranked.front(), figure).db.value_or(NAN);
  const std::optional<size_t> most = MostHarmful(result);
  if (figure == Figure::kShadow && most) {
    const LayerComparison& harmful = result.layers[*most];
    const double db = RankedSqnr(harmful, figure).db.value_or(NAN);
    // Not where either is nan.
    if (lowest < db) {
      return absl::StrCat("No layer stands out: what ", NameOf(*ranked.front()),
                          " loses by itself, ", DbWithUnit(lowest),
                          ", is cut off or taken back after it; the next is ",
                          NameOf(harmful), ", with ", DbWithUnit(db), ".");
    }
  }
  return absl::StrCat(figure == Figure::kActivation
                          ? "Shadows show which layer does harm, and were "
                            "not measured: the lowest "
                          : "No layer stands out: the lowest ",
                      FigureName(figure), " SQNR is ",
                      DbWithUnit(RankedSqnr(*ranked.front(), figure).db),
                      ", of ", NameOf(*ranked.front()), ".");
}

std::string UncalibratedSentence(size_t activations) {
  return absl::StrFormat(
      "The model was never calibrated: %s scale 1 and zero point 0, with which "
      "observers start.",
      activations == 1
          ? std::string("its only quantized activation has")
          : absl::StrCat("all ", activations, " quantized activations have"));
}

std::string AxisOrderSentence(const ComparisonResult& result,
                              const AxisOrder& order) {
  std::optional<double> straight;
  if (order.layer) {
    straight = SqnrDb(result.layers[*order.layer], Figure::kActivation);
  } else {
    if (const ModuleOutputComparison* output =
            FindOutput(result.model_outputs, order.output)) {
      straight = output->figures.error.sqnr_db;
    }
  }
  return absl::StrCat(
      order.layer ? NameOf(result.layers[*order.layer])
                  : Printable(order.output),
      " has its axes ", order.axes.first, " and ", order.axes.second,
      " exchanged: it has ",
      straight ? absl::StrCat(DbWithUnit(straight), ", and ") : "",
      DbWithUnit(order.axes.sqnr_db), " with them changed back.");
}

// Returns the first layer with the qparams of an observer without data; there
// is one in a model that was never calibrated.
size_t FirstInitial(const ComparisonResult& result) {
  return absl::c_find_if(result.layers,
                         [](const LayerComparison& layer) {
                           return layer.qparams && IsInitial(*layer.qparams);
                         }) -
         result.layers.begin();
}

// Whether what only one model has does more harm than the layer to blame, if
// there is one.
bool DoesMoreHarm(const ComparisonResult& result, const UnpairedFall& fall,
                  const std::optional<Blame>& blame) {
  if (fall.accumulated_db >= kHarmless || OutputsReach(result, kHarmless)) {
    return false;
  }
  if (!blame.has_value()) {
    return true;
  }
  const LayerComparison& layer = result.layers[blame->layer];
  const std::optional<double> local =
      SqnrDb(layer, OffendingOutput(layer), Figure::kShadow);
  return IsMatterOfDegree(blame->cause) && local.has_value() &&
         (*local >= kHarmless ||
          (*local >= kBroken && kExplainedRatio * NoiseToSignal(*local) <
                                    NoiseToSignal(fall.accumulated_db)));
}

std::string UnpairedSentence(const ComparisonResult& result,
                             const UnpairedFall& fall) {
  const LayerComparison& layer = result.layers[fall.layer];
  const std::optional<double> local =
      SqnrDb(layer, fall.output, Figure::kShadow);
  // Without a local error, what is expected is an assumption, not a figure.
  const bool is_measured = local.has_value() && !std::isnan(*local);
  return absl::StrCat(
      OutputLabel(layer, fall.output), " falls to ",
      DbWithUnit(fall.accumulated_db), " accumulated",
      is_measured
          ? absl::StrCat(", ", DbWithUnit(fall.expected_db), " expected")
          : "",
      ": ",
      Printable(layer.unpaired_input.empty() ? layer.replaced_input
                                             : layer.unpaired_input),
      ".");
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

// Returns the layers with a large error that is taken back.
Layers LayersTakenBack(const ComparisonResult& result) {
  const std::vector<bool> taken_back = TakenBack(result);
  Layers layers;
  for (size_t i = 0; i < taken_back.size(); ++i) {
    if (taken_back[i] &&
        SqnrDb(result.layers[i], Figure::kShadow).value_or(INFINITY) <
            kHarmless) {
      layers.push_back(&result.layers[i]);
    }
  }
  return layers;
}

// Names them; empty without any.
std::string TakenBackSentence(const ComparisonResult& result) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::string> names;
  for (const LayerComparison* layer : LayersTakenBack(result)) {
    names.push_back(NameOf(*layer));
  }
  if (names.empty()) {
    return "";
  }
  const size_t more = names.size() - std::min(names.size(), kMostNamed);
  names.resize(names.size() - more);
  return absl::StrCat("What ", absl::StrJoin(names, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "",
                      " lose by themselves is taken back after them, as "
                      "where factors were moved between layers.");
}

// Below this local SQNR in dB, more than half as much error as signal,
// something is wrong with a layer even where no figure shows what.
constexpr double kLostDb = 3;

// Whether factors were moved between layers: large errors are taken back, and
// among them are those of other weights.
bool IsRescaled(const ComparisonResult& result) {
  return absl::c_any_of(
      LayersTakenBack(result), [](const LayerComparison* layer) {
        return LowestWeightDb(*layer).value_or(INFINITY) < kOtherWeightDb;
      });
}

// Returns what is wrong with the whole model where no layer stands out.
ErrorCause CauseOfModel(const ComparisonResult& result) {
  return !result.in_training_mode.empty() ? ErrorCause::kTrainingMode
         : IsRescaled(result)             ? ErrorCause::kRescaled
         : ReducedRanges(result) > 0      ? ErrorCause::kReducedRange
                                          : ErrorCause::kNone;
}

std::string ModelSentence(const ComparisonResult& result, ErrorCause cause) {
  if (cause == ErrorCause::kRescaled) {
    return TakenBackSentence(result);
  }
  return cause == ErrorCause::kTrainingMode
             ? absl::StrCat(Printable(result.in_training_mode.front()),
                            " was saved in training mode: ns evaluates it, and "
                            "where it is used it computes something else.")
             : absl::StrCat("All ", ReducedRanges(result),
                            " activations have 7 bits, which costs each of "
                            "them up to 6 dB.");
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
  const std::optional<AxisOrder> axes = FindAxisOrder(result);
  const std::optional<Blame> blame = BlameOf(result);
  // Layers in another order have other inputs, which is said already.
  const std::optional<UnpairedFall> unpaired =
      result.swapped ? std::nullopt : FirstUnpairedFall(result);
  const bool is_unpaired =
      unpaired.has_value() && DoesMoreHarm(result, *unpaired, blame);
  const size_t uncalibrated = UncalibratedActivations(result);
  if (axes.has_value()) {
    verdict.layer = axes->layer;
    verdict.cause = ErrorCause::kAxisOrder;
    verdict.sentences.push_back(AxisOrderSentence(result, *axes));
  } else if (uncalibrated > 0) {
    verdict.layer = blame.has_value() ? blame->layer : FirstInitial(result);
    verdict.cause = ErrorCause::kNeverCalibrated;
    verdict.sentences.push_back(UncalibratedSentence(uncalibrated));
  } else if (is_unpaired) {
    verdict.layer = unpaired->layer;
    verdict.cause = ErrorCause::kUnpaired;
    verdict.sentences.push_back(UnpairedSentence(result, *unpaired));
  } else if (blame.has_value()) {
    verdict.layer = blame->layer;
    verdict.cause = HasRangeOfReplaced(result, *blame) ? ErrorCause::kUnpaired
                                                       : blame->cause;
  }
  if (axes.has_value()) {
    return verdict;
  }
  if (blame.has_value()) {
    if (uncalibrated == 0 || blame->cause != ErrorCause::kNeverCalibrated) {
      verdict.sentences.push_back(BlameSentence(result, *blame));
    }
  } else if (!is_unpaired && uncalibrated == 0) {
    verdict.cause = CauseOfModel(result);
    if (verdict.cause != ErrorCause::kNone) {
      verdict.sentences.push_back(ModelSentence(result, verdict.cause));
    }
    if (verdict.cause != ErrorCause::kRescaled) {
      verdict.sentences.push_back(NoBlameSentence(result));
    }
  }
  if (std::string sentence = TakenBackSentence(result);
      !sentence.empty() && verdict.cause != ErrorCause::kRescaled) {
    verdict.sentences.push_back(std::move(sentence));
  }
  if (unpaired.has_value() && (!is_unpaired || uncalibrated > 0)) {
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

bool SaysWhatToDo(const ComparisonResult& result, const Verdict& verdict) {
  return NamesCulprit(result, verdict) ||
         (!verdict.layer && verdict.cause != ErrorCause::kNone);
}

bool NamesCulprit(const ComparisonResult& result, const Verdict& verdict) {
  if (!result.has_shadows && verdict.cause != ErrorCause::kSwapped &&
      verdict.cause != ErrorCause::kAxisOrder) {
    return false;
  }
  if (!verdict.layer) {
    return false;
  }
  if (verdict.cause == ErrorCause::kUnexplained) {
    const LayerComparison& layer = result.layers[*verdict.layer];
    const std::optional<double> db =
        SqnrDb(layer, OffendingOutput(layer), Figure::kShadow);
    return db && !(*db >= kLostDb);
  }
  return verdict.cause != ErrorCause::kNone &&
         verdict.cause != ErrorCause::kRounding;
}

}  // namespace ns
