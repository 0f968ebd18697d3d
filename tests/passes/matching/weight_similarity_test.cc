#include "passes/matching/weight_similarity.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/ops/op_relations.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

ModelGraph TwoLinears(const at::Tensor& first, const at::Tensor& second) {
  return OrThrow(ModelGraph::FromModule(
      MakeModel({{"a", Linear(first)}, {"b", Linear(second)}},
                {"return self.b.forward(self.a.forward(x))"})));
}

std::vector<std::pair<int, int>> Pairs(const ModelGraph& a,
                                       const ModelGraph& b) {
  const OpRelations relations;
  const MatchableNodes nodes_a(a.graph(), relations);
  const MatchableNodes nodes_b(b.graph(), relations);
  return PairBySimilarWeights(nodes_a, {0, 1}, nodes_b, {0, 1});
}

class WeightSimilarityTest : public testing::Test {
 protected:
  WeightSimilarityTest() {
    first_ = at::randn({8, 8});
    second_ = at::randn({8, 8});
    noise_ = at::randn({8, 8}) * 0.01;
  }
  at::Tensor first_;
  at::Tensor second_;
  at::Tensor noise_;
};

TEST_F(WeightSimilarityTest, PairsCloseWeightsWhateverTheirOrder) {
  EXPECT_THAT(Pairs(TwoLinears(first_, second_),
                    TwoLinears(second_ + noise_, first_ + noise_)),
              ElementsAre(Pair(1, 0), Pair(0, 1)));
}

TEST_F(WeightSimilarityTest, LeavesDifferentWeightsAlone) {
  EXPECT_THAT(Pairs(TwoLinears(first_, second_),
                    TwoLinears(at::randn({8, 8}), at::randn({8, 8}))),
              IsEmpty());
}

TEST_F(WeightSimilarityTest, PairsEqualWeightsInOrder) {
  EXPECT_THAT(Pairs(TwoLinears(first_, first_), TwoLinears(first_, first_)),
              ElementsAre(Pair(0, 0), Pair(1, 1)));
}

// Which of them the other model has lost, weights do not tell.
TEST_F(WeightSimilarityTest, LeavesEqualWeightsAloneWhereOneIsMissing) {
  const ModelGraph two = TwoLinears(first_, first_);
  const ModelGraph one = TwoLinears(first_, second_);
  EXPECT_THAT(Pairs(two, one), IsEmpty());
  EXPECT_THAT(Pairs(one, two), IsEmpty());
}

// A model of linear layers, one after the other.
ModelGraph Linears(const std::vector<at::Tensor>& weights) {
  Submodules layers;
  std::string value = "x";
  for (size_t i = 0; i < weights.size(); ++i) {
    const std::string name = absl::StrCat("layer", i);
    layers.emplace_back(name, Linear(weights[i]));
    value = absl::StrCat("self.", name, ".forward(", value, ")");
  }
  return OrThrow(
      ModelGraph::FromModule(MakeModel(layers, {"return " + value})));
}

// The pairs as the header describes them, from the similarities of all pairs.
std::vector<std::pair<int, int>> PairsOfAll(const std::vector<at::Tensor>& a,
                                            const std::vector<at::Tensor>& b) {
  const auto similarity = [&](size_t i, size_t j) {
    const at::Tensor x = a[i].to(at::kDouble).reshape({-1});
    const at::Tensor noise = x - b[j].to(at::kDouble).reshape({-1});
    const double squares = at::dot(noise, noise).item<double>();
    return squares == 0
               ? std::numeric_limits<double>::infinity()
               : 10 * std::log10(at::dot(x, x).item<double>() / squares);
  };
  const auto largest = [](size_t count, const auto& value_of) {
    double most = -std::numeric_limits<double>::infinity();
    std::vector<size_t> indices;
    for (size_t i = 0; i < count; ++i) {
      most = std::max(most, value_of(i));
    }
    for (size_t i = 0; i < count; ++i) {
      if (value_of(i) == most) {
        indices.push_back(i);
      } else if (value_of(i) > most - 3) {
        return std::vector<size_t>();
      }
    }
    return indices;
  };
  std::vector<std::pair<int, int>> pairs;
  for (size_t j = 0; j < b.size(); ++j) {
    const auto of_j =
        largest(a.size(), [&](size_t i) { return similarity(i, j); });
    if (of_j.empty() || similarity(of_j[0], j) < 6) {
      continue;
    }
    const auto of_i = largest(
        b.size(), [&](size_t other) { return similarity(of_j[0], other); });
    const auto turn = std::find(of_i.begin(), of_i.end(), j);
    if (turn != of_i.end() && of_i.size() == of_j.size()) {
      pairs.emplace_back(of_j[static_cast<size_t>(turn - of_i.begin())], j);
    }
  }
  return pairs;
}

// Weights that are near each other, equal, or zero, at all distances around the
// limits.
TEST_F(WeightSimilarityTest, ThePairsAreThoseOfComparingAllWeights) {
  for (int round = 0; round < 30; ++round) {
    std::vector<at::Tensor> a;
    std::vector<at::Tensor> b;
    for (int i = 0; i < 6; ++i) {
      a.push_back(at::randn({3, 3}));
      const double noise = 0.1 * (1 + (round + i) % 12);
      b.push_back(a.back() + noise * at::randn({3, 3}));
    }
    a.push_back(a[0] * 1.3);
    a.push_back(a[1]);
    a.push_back(at::zeros({3, 3}));
    b.push_back(b[1]);
    b.push_back(a[2] * 1e-8);
    b.push_back(a[3] + 1e-8);
    std::rotate(b.begin(), b.begin() + round % 5, b.end());
    const ModelGraph model_a = Linears(a);
    const ModelGraph model_b = Linears(b);
    const OpRelations relations;
    const MatchableNodes nodes_a(model_a.graph(), relations);
    const MatchableNodes nodes_b(model_b.graph(), relations);
    std::vector<int> all(a.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(PairBySimilarWeights(nodes_a, all, nodes_b, all),
              PairsOfAll(a, b))
        << round;
  }
}

}  // namespace
}  // namespace ns
