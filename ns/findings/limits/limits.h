// Holds the figures of a comparison against limits that a user set.
#ifndef NS_FINDINGS_LIMITS_LIMITS_H_
#define NS_FINDINGS_LIMITS_LIMITS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ns/result/comparison_result.h"
#include "ns/result/limit_check.h"

namespace ns {

// A bound for some layers, outputs of the model, or scores.
struct LayerLimit {
  // The name of one, or a glob of names ("layer1.*", where * stands for dots,
  // too); empty for all.
  std::string layers;
  // In dB, a share of 0 to 1, or in the units of the score.
  double bound = 0;
};

// Reads "20", or "fc:30,layer1.*:25,20": parts with commas, each a bound, or
// names, a colon and a bound. A bound of an SQNR is a number of dB ("20" or
// "20dB"), one of a share a percentage ("1%"), one of a score a number of at
// least 0 ("0.01"). A comma in a name is written ?, which a glob has for any
// character. Error, without the flag: a part that is
// not so; two bounds for the same names.
absl::StatusOr<std::vector<LayerLimit>> ParseLayerLimits(
    LimitKind kind, absl::string_view text);

// Returns the number of dB, at least 0, that "1", "0.5dB" or "0.5 dB" says.
// Error: it says none.
absl::StatusOr<double> ParseDecibels(absl::string_view text);

// What a user wants kept. Of the parts for a layer, one decides: its name, or
// else the last glob, or else the bound for all layers.
struct Limits {
  std::vector<LayerLimit> fail_below;
  std::vector<LayerLimit> max_clip;
  std::vector<LayerLimit> max_dead_channels;
  // By the names of outputs: "output", "output[1]".
  std::vector<LayerLimit> fail_below_output;
  // By the names of scores.
  std::vector<LayerLimit> max_score_drop;
  std::optional<int64_t> max_unmatched;

  bool empty() const {
    return fail_below.empty() && max_clip.empty() &&
           max_dead_channels.empty() && fail_below_output.empty() &&
           max_score_drop.empty() && !max_unmatched;
  }
};

// Checks that each part of `limits` on layers is for some layer of `result`,
// whose layers need no figures yet. Which outputs there are, only a run tells.
// Error: "--fail-below=fcc:30 names no layer; did you mean
// 'fc'?"
absl::Status CheckLimitNames(const Limits& limits,
                             const ComparisonResult& result);

// Checks that each part of `limits` on scores is for some score of `scores`,
// their names. Error: "--max-score-drop=recal:0.1 names no score; did you mean
// 'recall'?"
absl::Status CheckScoreNames(const Limits& limits,
                             const std::vector<std::string>& scores);

// Holds `result` against `limits`, layer by layer:
//   kFailBelow     the SQNR of the activation, of several outputs the lowest,
//                  is at least the bound;
//   kMaxClip       the share of the values of the activation that are clipped
//                  (ClippedShare in ns/findings/saturation.h) is at most the
//                  bound;
//   kMaxDeadChannels  the share of the channels of the activation that have
//                  less than 3 dB is at most the bound;
//   kFailBelowOutput  the SQNR of an output of the model
//                  (ComparisonResult::model_outputs) is at least the bound;
//   kMaxScoreDrop  a score (ComparisonResult::scores) of the quantized model is
//                  below that of the float model by at most the bound;
//   kMaxUnmatched  so many ops of both models together are unmatched, at most.
// Returns a check, passed or not, for each figure that was held against a
// bound. Figures that are nan cross it. Layers without a figure are passed
// over, but a part that decides for layers of which none has a figure is
// crossed, and so is every part where there are no layers: a limit that nothing
// was held against is not kept. A part that decides for none of the layers has
// no check, but one that decides for no output or score is crossed.
std::vector<LimitCheck> CheckLimits(const Limits& limits,
                                    const ComparisonResult& result);

}  // namespace ns

#endif  // NS_FINDINGS_LIMITS_LIMITS_H_
