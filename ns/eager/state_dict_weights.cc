// Implements the functions of module_weights.h that read state dicts.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ns/eager/module_weights.h"

namespace ns {
namespace {

// Returns "fc" and "weight" for "fc.weight"; "" and "weight" for "weight".
std::pair<absl::string_view, absl::string_view> Split(absl::string_view key) {
  const size_t dot = key.rfind('.');
  return dot == absl::string_view::npos
             ? std::pair(absl::string_view(), key)
             : std::pair(key.substr(0, dot), key.substr(dot + 1));
}

// Returns the weight that `entry` is; its key is empty for any other entry.
ModuleWeight WeightOf(const StateEntry& entry) {
  const auto [path, name] = Split(entry.key);
  const auto [owner, part] = Split(path);
  const auto weight = [&](WeightHolder holder, absl::string_view of,
                          absl::string_view parameter) {
    return ModuleWeight{entry.key, holder, std::string(of),
                        std::string(parameter), entry.values};
  };
  if (!entry.is_packed) {
    if (absl::StartsWith(name, "weight")) {
      return weight(WeightHolder::kTensor, path, name);
    }
    return part == "_packed_params" && name == "_packed_weight"
               ? weight(WeightHolder::kPackedEmbedding, owner, "weight")
               : ModuleWeight();
  }
  if (part == "_packed_params" && name == "_packed_params") {
    return weight(WeightHolder::kPackedLinear, owner, "weight");
  }
  if (const auto [list_owner, list] = Split(owner);
      name == "param" && list == "_all_weight_values") {
    return weight(WeightHolder::kCellParams, list_owner, part);
  }
  absl::string_view parameter = name;
  return absl::ConsumePrefix(&parameter, "_packed_weight_")
             ? weight(WeightHolder::kPackedCell, path,
                      absl::StrCat("weight_", parameter))
             : weight(WeightHolder::kPackedLinear, path, name);
}

}  // namespace

std::vector<std::pair<std::string, at::Tensor>> StateTensors(
    const StateDict& dict) {
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  for (const StateEntry& entry : dict) {
    if (!entry.is_packed) {
      tensors.emplace_back(entry.key, entry.values.at(0));
    }
  }
  return tensors;
}

std::vector<ModuleWeight> ModuleWeights(const StateDict& dict) {
  std::vector<ModuleWeight> weights;
  for (const StateEntry& entry : dict) {
    ModuleWeight weight = WeightOf(entry);
    if (!weight.key.empty()) {
      weights.push_back(std::move(weight));
    }
  }
  return weights;
}

}  // namespace ns
