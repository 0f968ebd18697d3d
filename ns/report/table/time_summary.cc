#include "ns/report/table/time_summary.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ns/findings/cure.h"
#include "ns/report/table/name_list.h"
#include "ns/report/table/summary_line.h"
#include "ns/result/printable.h"
#include "ns/result/shell_word.h"
#include "ns/result/time_figures.h"
#include "ns/timing/slow_layers.h"

namespace ns {
namespace {

constexpr size_t kListed = 5;
// Ops between the layers are named from this share of the time on.
constexpr double kLeastShare = 0.01;

// Three digits, with the unit that suits them.
std::string TimeText(double us) {
  return us < 999.5     ? absl::StrFormat("%.3g µs", us)
         : us < 999.5e3 ? absl::StrFormat("%.3g ms", us / 1e3)
         : us < 999.5e6 ? absl::StrFormat("%.3g s", us / 1e6)
                        : absl::StrFormat("%.0f s", us / 1e6);
}

// Returns ": 1.76 times as fast"; nothing for a model that computes nothing.
std::string RatioText(const ModelTimes& times) {
  return times.quantized_us > 0
             ? absl::StrFormat(": %.2f times as fast",
                               times.float_us / times.quantized_us)
             : "";
}

std::string SlowLines(const ComparisonResult& result,
                      const std::vector<SlowLayer>& slow) {
  if (slow.empty()) {
    return "";
  }
  double extra_us = 0;
  for (const SlowLayer& layer : slow) {
    extra_us += layer.extra_us;
  }
  std::string lines = SummaryLine(
      "slower than in float",
      absl::StrCat(Counted(slow.size(), "layer"), ", by ", TimeText(extra_us)));
  const size_t listed = std::min(slow.size(), kListed);
  for (size_t i = 0; i < listed; ++i) {
    const LayerComparison& layer = result.layers[slow[i].layer];
    absl::StrAppend(&lines, "  ", Printable(layer.name), "  ",
                    TimeText(layer.time->quantized_us), " instead of ",
                    TimeText(layer.time->float_us), ": ", slow[i].reason, "\n");
  }
  if (slow.size() > listed) {
    absl::StrAppend(&lines, "  and ", slow.size() - listed,
                    " more (see --json)\n");
  }
  return lines;
}

std::string BetweenLine(const ModelTimes& times) {
  std::vector<std::string> ops;
  for (const OpTime& op : times.between_layers) {
    if (op.model == "quantized" && op.us >= kLeastShare * times.quantized_us) {
      ops.push_back(absl::StrCat(Printable(op.op), " ", TimeText(op.us), " (",
                                 Counted(op.nodes, "node"), ")"));
    }
  }
  return ops.empty()
             ? ""
             : SummaryLine("between the layers", absl::StrJoin(ops, ", "));
}

// What `ns lower` would replace.
std::string HelpLine(const ComparisonResult& result,
                     const std::vector<SlowLayer>& slow) {
  const auto count = absl::c_count_if(
      slow, [](const SlowLayer& layer) { return layer.has_ns_kernel; });
  if (count == 0) {
    return "";
  }
  Cure cure;
  cure.sentence =
      absl::StrCat("lower the model, which puts ns kernels in the place of ",
                   count == static_cast<int64_t>(slow.size())
                       ? "these"
                       : absl::StrCat(count, " of these"));
  cure.command = absl::StrCat(
      "ns lower ", ShellWord(result.quantized_path), " ",
      ShellWord(absl::StrCat(absl::StripSuffix(result.quantized_path, ".pt"),
                             "_lowered.pt")));
  return CureLines(cure);
}

}  // namespace

std::string TimeSummary(const ComparisonResult& result) {
  if (!result.times) {
    return "";
  }
  const ModelTimes& times = *result.times;
  const std::vector<SlowLayer> slow = SlowLayers(result);
  return absl::StrCat(
      "\n",
      SummaryLine(
          "time of a batch",
          absl::StrCat("float ", TimeText(times.float_us), ", quantized ",
                       TimeText(times.quantized_us), RatioText(times))),
      SummaryLine("measured with",
                  absl::StrCat(Counted(times.samples, "sample"), ", ",
                               Counted(times.threads, "thread"),
                               ", the least of ", times.runs, " runs")),
      SlowLines(result, slow), BetweenLine(times), HelpLine(result, slow));
}

}  // namespace ns
