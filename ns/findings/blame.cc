#include "ns/findings/blame.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "ns/findings/calibration.h"
#include "ns/findings/coarse_squares.h"
#include "ns/findings/error_breakdown.h"
#include "ns/findings/error_causes.h"
#include "ns/findings/input_mismatch.h"
#include "ns/findings/lost_channels.h"
#include "ns/findings/output_shares.h"
#include "ns/findings/output_view.h"
#include "ns/findings/outputs_of_model.h"
#include "ns/findings/recurrent_state.h"
#include "ns/findings/shared_scale.h"
#include "ns/findings/table_figures.h"
#include "ns/findings/unbalanced_inputs.h"
#include "ns/findings/value_flow.h"
#include "ns/result/comparison_result.h"

namespace ns {
namespace {

// Below this accumulated SQNR, in dB, a value is another one.
constexpr double kOtherValueDb = 10;
// From this local SQNR on, in dB, a layer is blamed for a mistake only.
constexpr double kGoodDb = 30;
// Errors within this ratio of powers, 10 dB, are alike.
constexpr double kAlike = 10;

std::optional<size_t> IndexOf(const ComparisonResult& result,
                              const std::string& name) {
  const auto found = absl::c_find_if(
      result.layers,
      [&](const LayerComparison& layer) { return layer.name == name; });
  return found == result.layers.end()
             ? std::nullopt
             : std::make_optional<size_t>(found - result.layers.begin());
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
          LowestWeightDb(layer).value_or(INFINITY) < kOtherWeightDb);
}

// Whether no calibration would choose what the layer has.
bool IsMistake(const LayerComparison& layer, ErrorCause cause) {
  constexpr double kNoRange = 8;
  return IsWrong(layer, cause) || cause == ErrorCause::kNonFinite ||
         cause == ErrorCause::kNeverCalibrated ||
         (cause == ErrorCause::kRange &&
          RangeRatio(layer).value_or(0) >= kNoRange);
}

// Whether two of Harms are alike, or `harm` is the larger one.
bool IsAlike(double harm, double of_worst) {
  return harm > 0 && harm * kAlike >= of_worst;
}

// Returns the layer that harms most by a mistake, and not much less than
// `worst`, of whose error nothing is known.
std::optional<Blame> MistakeLike(const ComparisonResult& result, size_t worst) {
  const std::vector<double> harms = Harms(result);
  std::optional<Blame> blame;
  double most = 0;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const ErrorCause cause = CauseOf(result.layers[i]);
    if (IsMistake(result.layers[i], cause) && IsAlike(harms[i], harms[worst]) &&
        harms[i] > most) {
      blame = Blame{i, cause};
      most = harms[i];
    }
  }
  return blame;
}

// Whether the range of `layer`, of which it uses little, is one that it was
// given: by its input, or by the values that calibration saw.
bool HasGivenRange(const LayerComparison& layer, ErrorCause cause) {
  return cause == ErrorCause::kRange &&
         (HasRangeOfInput(layer) || layer.float_side.op.empty());
}

// Returns the layer with the largest local error below kGoodDb that has a
// mistake, whether the outputs show it or not.
std::optional<Blame> WorstMistake(const ComparisonResult& result) {
  const std::vector<bool> taken_back = TakenBack(result);
  std::optional<Blame> blame;
  double lowest = kGoodDb;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    const ErrorCause cause = CauseOf(layer);
    if (!taken_back[i] && layer.unpaired_input.empty() && layer.shadow &&
        layer.shadow->error.sqnr_db < lowest && IsMistake(layer, cause) &&
        !HasGivenRange(layer, cause) &&
        !(layer.qparams && IsFixedScale(*layer.qparams))) {
      blame = Blame{i, cause};
      lowest = layer.shadow->error.sqnr_db;
    }
  }
  return blame;
}

// Returns the input in front of `worst`, which clips or has a range that does
// not fit, that is not like those of calibration: nothing behind it can fit.
std::optional<Blame> MismatchedInput(const ComparisonResult& result,
                                     const Blame& worst) {
  const std::vector<bool> in_front =
      FlowsInto(result, worst.layer, [](size_t, size_t) { return true; });
  for (size_t i = 0; i < worst.layer; ++i) {
    const LayerComparison& layer = result.layers[i];
    if (in_front[i] && layer.shadow &&
        layer.shadow->error.sqnr_db < kOtherValueDb && InputMismatchOf(layer)) {
      return Blame{i, ErrorCause::kInputMismatch};
    }
  }
  return std::nullopt;
}

// Returns the first layer in front of `worst`, which clips, that is to blame.
std::optional<Blame> RootOf(const ComparisonResult& result,
                            const Blame& worst) {
  const std::vector<bool> in_front =
      FlowsInto(result, worst.layer, [](size_t, size_t) { return true; });
  const std::vector<double> harms = Harms(result);
  std::optional<Blame> clipping;
  for (size_t i = 0; i < worst.layer; ++i) {
    const LayerComparison& layer = result.layers[i];
    if (!in_front[i] || !IsAlike(harms[i], harms[worst.layer])) {
      continue;
    }
    const ErrorCause cause = CauseOf(layer);
    if (IsWrong(layer, cause)) {
      return Blame{i, cause};
    }
    if (cause == ErrorCause::kClipping && !clipping &&
        layer.shadow->error.sqnr_db < kGoodDb) {
      clipping = Blame{i, cause};
    }
  }
  return clipping;
}

std::optional<Blame> BlameByWeights(const ComparisonResult& result) {
  std::optional<Blame> lowest;
  double lowest_db = kOtherWeightDb;
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
  // Shares are known of the first output. A wrong bias is behind all of them.
  const ErrorCause cause = CauseOf(layer);
  const Blame worst = {*index, output == nullptr || cause == ErrorCause::kBias
                                   ? cause
                                   : ErrorCause::kUnexplained};
  switch (worst.cause) {
    case ErrorCause::kClipping:
    case ErrorCause::kRange:
      if (const auto mismatch = MismatchedInput(result, worst)) {
        return mismatch;
      }
      return worst.cause == ErrorCause::kRange
                 ? worst
                 : RootOf(result, worst).value_or(worst);
    case ErrorCause::kRounding:
    case ErrorCause::kUnexplained:
      return output == nullptr ? MistakeLike(result, *index).value_or(worst)
                               : worst;
    default:
      return worst;
  }
}

// Whether what loses a part of its values, and leaves it `lost_db`, is to blame
// rather than `blame`.
bool IsWorse(const ComparisonResult& result, double lost_db,
             const std::optional<Blame>& blame) {
  if (!blame) {
    return true;
  }
  const LayerComparison& layer = result.layers[blame->layer];
  const std::optional<double> local =
      SqnrDb(layer, OffendingOutput(layer), Figure::kShadow);
  return IsMatterOfDegree(blame->cause) && !IsWrong(layer, blame->cause) &&
         local && *local >= lost_db;
}

// Returns a cause that tells more than that of `blame`, where there is one.
ErrorCause MoreClosely(const ComparisonResult& result, const Blame& blame) {
  const LayerComparison& layer = result.layers[blame.layer];
  const bool may_be_told =
      IsMatterOfDegree(blame.cause) || blame.cause == ErrorCause::kBias;
  if (!may_be_told) {
    return blame.cause;
  }
  if (!layer.shares_weight_with.empty()) {
    return ErrorCause::kSharedWeight;
  }
  const bool is_of_range =
      blame.cause == ErrorCause::kClipping || blame.cause == ErrorCause::kRange;
  if (is_of_range && SharesScaleWith(result, blame.layer)) {
    return ErrorCause::kSharedScale;
  }
  if (is_of_range && InputMismatchOf(layer)) {
    return ErrorCause::kInputMismatch;
  }
  if (blame.cause != ErrorCause::kBias && GrowsOverSteps(result, blame.layer)) {
    return ErrorCause::kRecurrentState;
  }
  return !is_of_range && blame.cause != ErrorCause::kBias &&
                 !IsWrong(layer, blame.cause) && LosesChannels(layer)
             ? ErrorCause::kOutlierChannel
             : blame.cause;
}

// Whether the outputs hardly need a layer with a local SQNR below kGoodDb to be
// mended: they are good and it has no mistake, or it has a range that it was
// given and inherits the larger error.
bool IsNoMatter(const ComparisonResult& result, const Blame& blame) {
  const LayerComparison& layer = result.layers[blame.layer];
  return IsMatterOfDegree(blame.cause) &&
         ((OutputsReach(result, kGoodDb) && !IsMistake(layer, blame.cause)) ||
          (!SharesHold(result) && HasGivenRange(layer, blame.cause) &&
           DominantPart(layer) == ErrorPart::kInherited));
}

// Whether the error of the outputs is large, and more than half of it comes
// from the layer to blame, however small its own error is.
bool MakesMostOfALargeError(const ComparisonResult& result,
                            const Blame& blame) {
  constexpr double kLargeDb = 20;
  constexpr double kMost = 0.5;
  return SharesHold(result) &&
         result.layers[blame.layer].output_share.value_or(0) > kMost &&
         absl::c_any_of(result.model_outputs,
                        [](const ModuleOutputComparison& output) {
                          return output.figures.error.sqnr_db < kLargeDb;
                        });
}

}  // namespace

std::optional<Blame> BlameOf(const ComparisonResult& result) {
  if (result.swapped.has_value()) {
    const std::optional<size_t> first = IndexOf(result, result.swapped->first);
    // What it computes is another value, unless the order does not matter.
    if (first &&
        SqnrDb(result.layers[*first], Figure::kActivation).value_or(-INFINITY) <
            kOtherValueDb) {
      return Blame{*first, ErrorCause::kSwapped};
    }
  }
  std::optional<Blame> blame =
      result.has_shadows ? BlameByShadows(result) : BlameByWeights(result);
  if (blame && !MakesMostOfALargeError(result, *blame) &&
      (!IsMistake(result.layers[blame->layer], blame->cause) ||
       HasGivenRange(result.layers[blame->layer], blame->cause)) &&
      (IsNoMatter(result, *blame) ||
       RankedSqnr(result.layers[blame->layer], Figure::kShadow)
               .db.value_or(0) >= kGoodDb)) {
    blame.reset();
  }
  if (!blame && result.has_shadows && result.inputs_are_finite) {
    blame = WorstMistake(result);
    if (const std::optional<size_t> state = WorstState(result);
        state && !blame) {
      return Blame{*state, ErrorCause::kRecurrentState};
    }
  }
  if (result.has_shadows && result.inputs_are_finite) {
    const std::optional<UnbalancedInput> unbalanced =
        WorstUnbalancedInput(result);
    if (unbalanced && IsWorse(result, unbalanced->sqnr_db, blame)) {
      return Blame{unbalanced->layer, ErrorCause::kUnbalancedInputs};
    }
    const std::optional<LostChannels> lost = WorstLostChannels(result);
    if (lost && IsWorse(result, lost->sqnr_db, blame)) {
      return Blame{lost->layer, ErrorCause::kOutlierChannel};
    }
    const bool is_of_degree =
        blame && IsMatterOfDegree(blame->cause) &&
        !IsWrong(result.layers[blame->layer], blame->cause);
    if (const auto squares = FindCoarseSquares(result);
        squares && (!blame || is_of_degree)) {
      return Blame{squares->layer, ErrorCause::kCoarseSquares};
    }
    const bool is_explained = blame && blame->cause != ErrorCause::kRounding &&
                              blame->cause != ErrorCause::kUnexplained;
    if (const auto dead = WorstDeadChannels(result); dead && !is_explained) {
      return Blame{dead->layer, ErrorCause::kDeadChannels};
    }
  }
  if (blame) {
    blame->cause = MoreClosely(result, *blame);
  }
  return blame;
}

bool HasRangeOfReplaced(const ComparisonResult& result, const Blame& blame) {
  const LayerComparison& layer = result.layers[blame.layer];
  if (layer.replaced_input.empty() || !layer.weights.empty()) {
    return false;
  }
  switch (blame.cause) {
    case ErrorCause::kRange:
    case ErrorCause::kClipping:
      return HasRangeOfInput(layer);
    default:
      return blame.cause == ErrorCause::kUnexplained;
  }
}

}  // namespace ns
