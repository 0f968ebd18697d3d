// Holds which limits of the user a comparison kept, as plain data.
#ifndef NS_RESULT_LIMIT_CHECK_H_
#define NS_RESULT_LIMIT_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ns {

enum class LimitKind {
  // The least SQNR of an activation, in dB.
  kFailBelow,
  // The largest share of an activation's values that are clipped, 0 to 1.
  kMaxClip,
  // The largest share of an activation's channels with less than 3 dB, 0 to 1.
  kMaxDeadChannels,
  // The least SQNR of an output of the model, in dB.
  kFailBelowOutput,
  // By how much the score of the quantized model may be below the float one's.
  kMaxScoreDrop,
  // The largest number of ops without a counterpart.
  kMaxUnmatched,
  // By how many dB an SQNR may be below that of an earlier comparison.
  kMaxDrop,
  // By how many dB the SQNR of an output of the model may be below.
  kMaxOutputDrop,
};

// A figure that was held against a limit.
struct LimitCheck {
  LimitKind kind = LimitKind::kFailBelow;
  // The layer, the output of the model or the score; empty for a limit on the
  // whole comparison. Where none that the user named has a figure, this is what
  // the user named.
  std::string layer;
  // The output of the layer that was checked; empty for the first.
  std::string output;
  // Of kMaxDrop: what dropped, "activation" or the like.
  std::string figure;
  // The figure and the limit in the units of the kind; nan where there is no
  // figure.
  double value = 0;
  double bound = 0;
  // Of drops: how many dB more may be lost, since figures scatter over
  // batches.
  double tolerance = 0;
  bool passed = false;
};

// How the layers of a comparison differ from those of an earlier one.
struct BaselineLayers {
  std::string path;
  // The names of layers that only this comparison has, and only the baseline.
  std::vector<std::string> added;
  std::vector<std::string> vanished;
};

}  // namespace ns

#endif  // NS_RESULT_LIMIT_CHECK_H_
