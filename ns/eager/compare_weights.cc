#include "ns/eager/compare_weights.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/status.h"
#include "ns/eager/find_match.h"
#include "ns/eager/module_tree.h"
#include "ns/eager/module_weights.h"
#include "passes/analysis/packed_weights.h"

namespace ns {
namespace {

class FloatWeights {
 public:
  explicit FloatWeights(const torch::jit::Module& module) {
    for (auto& [key, tensor] : StateTensors(module)) {
      keys_.push_back(key);
      tensors_.emplace(key, tensor);
    }
  }

  // The float weights of `weight`, as many as it has values; none when one is
  // missing.
  std::vector<at::Tensor> Match(const ModuleWeight& weight) const {
    if (weight.holder != WeightHolder::kCellParams) {
      return Lookup({FindMatch(keys_, weight.path, weight.parameter)});
    }
    size_t cell = 0;
    if (!absl::SimpleAtoi(weight.parameter, &cell)) {
      return {};
    }
    const bool bidirectional =
        FindMatch(keys_, weight.path, "weight_ih_l0_reverse").has_value();
    const std::string suffix = CellSuffix(cell, bidirectional);
    return Lookup({FindMatch(keys_, weight.path, "weight_ih" + suffix),
                   FindMatch(keys_, weight.path, "weight_hh" + suffix)});
  }

  std::vector<at::Tensor> MatchAsReference(const ModuleWeight& weight) const {
    switch (weight.holder) {
      case WeightHolder::kTensor:
      case WeightHolder::kPackedConv:
        return Lookup({FindMatchAsReference(keys_, weight.key, "weight")});
      case WeightHolder::kPackedLinear:
        return Lookup(
            {FindMatchAsReference(keys_, weight.key, "_packed_params")});
      case WeightHolder::kCellParams: {
        // Not the cell, but its number is taken for the layer.
        const auto key = [&](const char* name) {
          return JoinPath(weight.path, absl::StrCat(name, weight.parameter));
        };
        const auto both = Lookup({key("weight_ih_l"), key("weight_hh_l")});
        return both.empty() ? both : std::vector<at::Tensor>{both[1]};
      }
      case WeightHolder::kPackedEmbedding:
      case WeightHolder::kPackedCell:
        break;
    }
    return {};
  }

 private:
  std::vector<at::Tensor> Lookup(
      const std::vector<std::optional<std::string>>& keys) const {
    std::vector<at::Tensor> tensors;
    for (const std::optional<std::string>& key : keys) {
      const auto tensor = key ? tensors_.find(*key) : tensors_.end();
      if (tensor == tensors_.end()) {
        return {};
      }
      tensors.push_back(tensor->second);
    }
    return tensors;
  }

  std::vector<std::string> keys_;
  std::map<std::string, at::Tensor> tensors_;
};

}  // namespace

absl::StatusOr<LoggerDict> CompareWeights(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const CompareWeightsOptions& options) {
  const FloatWeights float_weights(float_module);
  NS_ASSIGN_OR_RETURN(std::vector<ModuleWeight> weights,
                      ModuleWeights(quantized_module));
  LoggerDict compared;
  for (ModuleWeight& weight : weights) {
    std::vector<at::Tensor> of_float =
        options.compat ? float_weights.MatchAsReference(weight)
                       : float_weights.Match(weight);
    if (of_float.empty()) {
      continue;
    }
    if (weight.values.size() > of_float.size()) {
      // What the reference returns last has overwritten the others.
      weight.values = {weight.values.back()};
    }
    LoggerStats pair;
    pair[kFloatValues] = std::move(of_float);
    pair[kQuantizedValues] = std::move(weight.values);
    compared.emplace_back(std::move(weight.key), std::move(pair));
  }
  return compared;
}

}  // namespace ns
