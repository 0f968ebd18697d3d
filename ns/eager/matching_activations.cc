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
#include "ir/status.h"
#include "ns/eager/find_match.h"

namespace ns {
namespace {

using TensorsByKey = std::map<std::string, std::vector<at::Tensor>>;

absl::StatusOr<std::vector<at::Tensor>> TensorValues(const std::string& key,
                                                     LoggerStats& stats) {
  if (stats.empty()) {
    return std::vector<at::Tensor>();
  }
  const auto values = stats.find(kTensorVal);
  if (values == stats.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the logger of '", key,
                     "' keeps pairs; use one that takes one Tensor"));
  }
  return std::move(values->second);
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
  TensorsByKey float_values;
  // The last child of a module comes first: its output is the module's.
  std::vector<std::string> keys;
  for (auto& [key, stats] : of_float) {
    NS_ASSIGN_OR_RETURN(float_values[key], TensorValues(key, stats));
    keys.insert(keys.begin(), key);
  }
  if (options.compat) {
    std::sort(keys.begin(), keys.end(), std::greater<>());
  }
  LoggerDict matching;
  for (auto& [key, stats] : of_quantized) {
    NS_ASSIGN_OR_RETURN(std::vector<at::Tensor> quantized,
                        TensorValues(key, stats));
    const std::optional<std::string> match =
        options.compat ? FindMatchAsReference(keys, key, "stats")
                       : FindMatch(keys, PathOf(key), "stats");
    if (match && !quantized.empty()) {
      LoggerStats pair;
      pair[kFloatValues] = float_values.at(*match);
      pair[kQuantizedValues] = std::move(quantized);
      matching.emplace_back(key, std::move(pair));
    }
  }
  return matching;
}

}  // namespace ns
