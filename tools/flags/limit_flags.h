// Reads the flags that set limits, and holds a comparison against them.
#ifndef TOOLS_FLAGS_LIMIT_FLAGS_H_
#define TOOLS_FLAGS_LIMIT_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ns/findings/limits/limits.h"
#include "ns/result/comparison_result.h"
#include "tools/command_line/command_line.h"

namespace ns {

inline constexpr FlagSpec kFailBelowFlag = {
    "fail-below", "LIMITS",
    "exit with 1 when the SQNR of an activation is below so many dB: 20 for "
    "all layers, fc:30,layer1.*:25 by name"};
inline constexpr FlagSpec kMaxClipFlag = {
    "max-clip", "LIMITS",
    "likewise when more of a layer's values are clipped: 1%, or fc:5% by name"};
inline constexpr FlagSpec kMaxDeadChannelsFlag = {
    "max-dead-channels", "LIMITS",
    "likewise when more of a layer's channels have less than 3 dB: 1%"};
inline constexpr FlagSpec kFailBelowOutputFlag = {
    "fail-below-output", "LIMITS",
    "likewise when the SQNR of what the model returns is below so many dB: 20, "
    "or output[1]:30 by name"};
inline constexpr FlagSpec kMaxScoreDropFlag = {
    "max-score-drop", "LIMITS",
    "likewise when a score of the quantized model is more than so much below "
    "the float model's: 0.01, or map:0.02 by name"};
inline constexpr FlagSpec kMaxUnmatchedFlag = {
    "max-unmatched", "N", "likewise when more ops have no counterpart"};
inline constexpr FlagSpec kBaselineFlag = {
    "baseline", "PATH",
    "what --json wrote earlier; new and vanished layers are listed"};
inline constexpr FlagSpec kMaxDropFlag = {
    "max-drop", "DB",
    "exit with 1 when an SQNR is more than so many dB below the baseline's: "
    "1dB, and what figures scatter over batches"};
inline constexpr FlagSpec kMaxOutputDropFlag = {
    "max-output-drop", "DB", "likewise of what the model returns"};
inline constexpr FlagSpec kEarlyStopFlag = {
    "early-stop", "",
    "run no more batches once a limit is crossed whatever they hold: for nan, "
    "clipping and unmatched ops"};
inline constexpr FlagSpec kJunitFlag = {
    "junit", "PATH",
    "write the limits as test cases in JUnit's XML; - is standard output"};

// What a command compares, and so may have limits.
struct LimitedFigures {
  // Whether there are figures of layers at all: weights, activations, shadows.
  bool layers = false;
  bool activations = false;
  bool shadows = false;
};

struct LimitFlags {
  Limits limits;
  // Either a drop is given with it, or the path is empty and both are absent.
  std::string baseline_path;
  std::optional<double> max_drop_db;
  std::optional<double> max_output_drop_db;
  bool early_stop = false;

  bool empty() const { return limits.empty() && baseline_path.empty(); }
};

// Reads the flags above but --junit. Error: a value that cannot be read; a
// limit on figures that are not compared; --baseline without a drop, or a drop
// without it; --junit or --early-stop without any limit.
absl::StatusOr<LimitFlags> ParseLimitFlags(const Flags& flags,
                                           const LimitedFigures& figures);

// Holds one comparison against limits.
class LimitChecker {
 public:
  // Reads the baseline, if there is one. Error: that of ReadComparison.
  static absl::StatusOr<LimitChecker> Create(const LimitFlags& flags);

  // Checks, before the models run, that each limit names a layer of `result`,
  // and that the baseline is of the same model. `result` has the layers that
  // were matched; they need no figures yet. An error of the first kind is also
  // wrong_usage().
  absl::Status CheckMatches(const ComparisonResult& result);

  // Returns whether `so_far`, the result after some batches, crosses a limit
  // whatever the `batches_left` others hold
  // (ns/findings/limits/settled_limits.h).
  bool IsCrossedForGood(const ComparisonResult& so_far,
                        int64_t batches_left) const;

  // Sets result.limits: which limits are kept, that of --max-drop among them;
  // and, with a baseline, result.baseline: its path, and which layers are new
  // and which have vanished. Does nothing without limits.
  void Check(ComparisonResult& result) const;

  // An error after CheckMatches found a limit that names no layer: the flags
  // are wrong. OK otherwise.
  const absl::Status& wrong_usage() const { return wrong_usage_; }

 private:
  LimitFlags flags_;
  std::optional<ComparisonResult> baseline_;
  absl::Status wrong_usage_;
};

}  // namespace ns

#endif  // TOOLS_FLAGS_LIMIT_FLAGS_H_
