#include "ns/eager/weight_pairs.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/graph/module_path.h"
#include "ns/eager/find_match.h"
#include "passes/analysis/packed_weights.h"

namespace ns {
namespace {

class FloatWeights {
 public:
  explicit FloatWeights(const KeyedTensors& tensors) {
    for (const auto& [key, tensor] : tensors) {
      keys_.push_back(key);
      tensors_.emplace(key, tensor);
    }
  }

  // Returns the float weights of `weight`, as many as it has values; none when
  // one is missing.
  std::vector<FloatWeight> Match(const ModuleWeight& weight) const {
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

  std::vector<FloatWeight> MatchAsReference(const ModuleWeight& weight) const {
    switch (weight.holder) {
      case WeightHolder::kTensor:
      case WeightHolder::kPackedConv:
        return Lookup({FindMatchAsReference(keys_, weight.key, "weight")});
      case WeightHolder::kPackedLinear:
        return Lookup(
            {FindMatchAsReference(keys_, weight.key, "_packed_params")});
      case WeightHolder::kCellParams: {
        // The number of the cell is taken for that of the layer.
        const auto key = [&](const char* name) {
          return JoinPath(weight.path, absl::StrCat(name, weight.parameter));
        };
        const auto both = Lookup({key("weight_ih_l"), key("weight_hh_l")});
        return both.empty() ? both : std::vector<FloatWeight>{both[1]};
      }
      case WeightHolder::kPackedEmbedding:
      case WeightHolder::kPackedCell:
        break;
    }
    return {};
  }

 private:
  std::vector<FloatWeight> Lookup(
      const std::vector<std::optional<std::string>>& keys) const {
    std::vector<FloatWeight> weights;
    for (const std::optional<std::string>& key : keys) {
      const auto tensor = key ? tensors_.find(*key) : tensors_.end();
      if (tensor == tensors_.end()) {
        return {};
      }
      weights.push_back({tensor->first, tensor->second});
    }
    return weights;
  }

  std::vector<std::string> keys_;
  std::map<std::string, at::Tensor> tensors_;
};

}  // namespace

std::vector<WeightPair> PairWeights(const KeyedTensors& float_tensors,
                                    std::vector<ModuleWeight> quantized,
                                    bool compat) {
  const FloatWeights float_weights(float_tensors);
  std::vector<WeightPair> pairs;
  for (ModuleWeight& weight : quantized) {
    WeightPair pair;
    if (!weight.values.empty()) {
      pair.of_float = compat ? float_weights.MatchAsReference(weight)
                             : float_weights.Match(weight);
    }
    if (!pair.of_float.empty() && weight.values.size() > pair.of_float.size()) {
      // In PyTorch's suite, the weight that is returned last overwrites the
      // others.
      weight.values = {weight.values.back()};
    }
    pair.quantized = std::move(weight);
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace ns
