#include "ns/eager/matching_activations.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"
#include "ns/eager/find_match.h"

namespace ns {
namespace {

// Returns OK for stats that are empty or of a logger of one value.
absl::Status CheckIsOfOneValue(const std::string& key,
                               const LoggerStats& stats) {
  return stats.empty() || stats.count(kTensorVal) != 0
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat(
                   "the logger of '", key,
                   "' keeps pairs; use one that takes one Tensor"));
}

// Pairs the values of all outputs that both have.
LoggerStats PairsOf(const LoggerStats& of_float, LoggerStats& of_quantized) {
  LoggerStats pairs;
  for (auto& [name, values] : of_quantized) {
    absl::string_view output = name;
    const auto same = of_float.find(name);
    if (same != of_float.end() && absl::ConsumePrefix(&output, kTensorVal)) {
      pairs[absl::StrCat(kFloatValues, output)] = same->second;
      pairs[absl::StrCat(kQuantizedValues, output)] = std::move(values);
    }
  }
  return pairs;
}

std::string PathOf(absl::string_view key) {
  absl::ConsumeSuffix(&key, "stats");
  absl::ConsumeSuffix(&key, ".");
  return std::string(key);
}

}  // namespace

absl::StatusOr<LoggerDict> GetMatchingActivations(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const MatchingActivationsOptions& options) {
  NS_ASSIGN_OR_RETURN(LoggerDict of_float, GetLoggerDict(float_module));
  NS_ASSIGN_OR_RETURN(LoggerDict of_quantized, GetLoggerDict(quantized_module));
  std::map<std::string, LoggerStats> float_values;
  // The last child of a module comes first: its output is that of the module.
  std::vector<std::string> keys;
  for (auto& [key, stats] : of_float) {
    NS_RETURN_IF_ERROR(CheckIsOfOneValue(key, stats));
    float_values[key] = std::move(stats);
    keys.insert(keys.begin(), key);
  }
  if (options.compat) {
    std::sort(keys.begin(), keys.end(), std::greater<>());
  }
  LoggerDict matching;
  for (auto& [key, stats] : of_quantized) {
    NS_RETURN_IF_ERROR(CheckIsOfOneValue(key, stats));
    const std::optional<std::string> match =
        options.compat ? FindMatchAsReference(keys, key, "stats")
                       : FindMatch(keys, PathOf(key), "stats");
    if (match && !stats[kTensorVal].empty()) {
      matching.emplace_back(key, PairsOf(float_values.at(*match), stats));
    }
  }
  return matching;
}

}  // namespace ns
