#include "ns/eager/compare_state_dicts.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ns/eager/module_weights.h"
#include "ns/eager/weight_pairs.h"
#include "ns/suite/compare_weight.h"

namespace ns {
namespace {

// Returns "conv.0" for "conv.0.weight".
std::string PathOf(absl::string_view key) {
  const size_t dot = key.rfind('.');
  return std::string(key.substr(0, dot == absl::string_view::npos ? 0 : dot));
}

// Returns "weight" for "conv.0.weight".
absl::string_view NameOf(absl::string_view key) {
  return key.substr(key.rfind('.') + 1);
}

// Collects layers in the order in which they are first asked for.
class Layers {
 public:
  explicit Layers(ComparisonResult& result) : result_(result) {}

  LayerComparison& Of(const std::string& name) {
    const auto [it, is_new] = index_.emplace(name, result_.layers.size());
    if (is_new) {
      result_.layers.emplace_back().name = name;
    }
    return result_.layers[it->second];
  }

 private:
  ComparisonResult& result_;
  std::map<std::string, size_t> index_;
};

absl::Status CompareInto(const WeightPair& pair, bool histograms,
                         Layers& layers, std::vector<std::string>& warnings) {
  const ModuleWeight& weight = pair.quantized;
  // The weight of a model that consists of one module has no path.
  const std::string& name = weight.path.empty() ? weight.key : weight.path;
  for (size_t i = 0; i < weight.values.size(); ++i) {
    const FloatWeight& of_float = pair.of_float[i];
    NS_ASSIGN_OR_RETURN(
        std::optional<WeightComparison> comparison,
        CompareWeight(name, std::string(NameOf(of_float.key)), of_float.value,
                      weight.values[i], histograms, warnings));
    LayerComparison& layer = layers.Of(name);
    layer.float_side.fqn = PathOf(of_float.key);
    layer.quantized_side.fqn = weight.path;
    if (comparison) {
      layer.weights.push_back(*std::move(comparison));
    }
  }
  return absl::OkStatus();
}

std::string ReasonOf(const ModuleWeight& weight) {
  return weight.values.empty()
             ? "its packed parameters are of a class that is not read"
             : "the float state_dict has no weight of this key";
}

}  // namespace

absl::StatusOr<ComparisonResult> CompareStateDicts(
    const StateDict& float_dict, const StateDict& quantized_dict,
    bool histograms) {
  const KeyedTensors float_tensors = StateTensors(float_dict);
  ComparisonResult result;
  result.matching = "keys";
  Layers layers(result);
  std::set<std::string> paired;
  std::vector<UnmatchedNode> of_quantized;
  for (const WeightPair& pair :
       PairWeights(float_tensors, ModuleWeights(quantized_dict),
                   /*compat=*/false)) {
    if (pair.of_float.empty()) {
      of_quantized.push_back(
          {"quantized", pair.quantized.key, "", ReasonOf(pair.quantized)});
      continue;
    }
    NS_RETURN_IF_ERROR(CompareInto(pair, histograms, layers, result.warnings));
    for (const FloatWeight& weight : pair.of_float) {
      paired.insert(weight.key);
    }
  }
  if (paired.empty()) {
    return absl::InvalidArgumentError(
        "the state_dicts have no weights in common: no key of the quantized "
        "one has a counterpart in the float one");
  }
  for (const auto& [key, tensor] : float_tensors) {
    if (absl::StartsWith(NameOf(key), "weight") && paired.count(key) == 0) {
      result.unmatched.push_back(
          {"float", key, "",
           "no weight of the quantized state_dict belongs to this key"});
    }
  }
  for (UnmatchedNode& node : of_quantized) {
    result.unmatched.push_back(std::move(node));
  }
  return result;
}

}  // namespace ns
