#include "passes/matching/weight_similarity.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <utility>
#include <vector>

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

}  // namespace
}  // namespace ns
