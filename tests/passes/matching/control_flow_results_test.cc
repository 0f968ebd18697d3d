#include "passes/matching/control_flow_results.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// A prim::If that gives tensors of these names, and then ints.
class Choice {
 public:
  explicit Choice(const std::vector<std::string>& tensors,
                  const std::vector<std::string>& ints = {})
      : graph_(std::make_shared<torch::jit::Graph>()),
        node_(graph_->create(c10::prim::If, 0)) {
    for (const std::string& name : tensors) {
      node_->addOutput()->setDebugName(name);
    }
    for (const std::string& name : ints) {
      node_->addOutput()->setType(c10::IntType::get())->setDebugName(name);
    }
    graph_->insertNode(node_);
  }

  const torch::jit::Node& operator*() const { return *node_; }

 private:
  std::shared_ptr<torch::jit::Graph> graph_;
  torch::jit::Node* node_;
};

TEST(ControlFlowResultsTest, NamesTellWhatOneModelDoesNotGive) {
  const Choice one({"b0.1"});
  const Choice two({"a0.3", "b0.7"});
  EXPECT_THAT(PairResults(*one, *two), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(PairResults(*two, *one), ElementsAre(Pair(1, 0)));
  EXPECT_TRUE(ShareVariable(*one, *two));
}

TEST(ControlFlowResultsTest, NamesTellTheOrder) {
  EXPECT_THAT(PairResults(*Choice({"a", "b"}), *Choice({"b.1", "a.1"})),
              ElementsAre(Pair(0, 1), Pair(1, 0)));
}

TEST(ControlFlowResultsTest, NumbersBehindNamesMayDiffer) {
  EXPECT_THAT(PairResults(*Choice({"h0", "x1"}), *Choice({"x3"})),
              ElementsAre(Pair(1, 0)));
  // Equal names come first.
  EXPECT_THAT(PairResults(*Choice({"x1", "x2"}), *Choice({"x2"})),
              ElementsAre(Pair(1, 0)));
  // Two may be it.
  EXPECT_THAT(PairResults(*Choice({"x1", "x2"}), *Choice({"x3"})), IsEmpty());
}

TEST(ControlFlowResultsTest, OthersArePairedByPlaceWhenTheyAreAsMany) {
  EXPECT_THAT(PairResults(*Choice({"k", "", "m"}), *Choice({"", "n", "k"})),
              ElementsAre(Pair(0, 2), Pair(1, 0), Pair(2, 1)));
  EXPECT_THAT(PairResults(*Choice({"k", "m"}), *Choice({"l"})), IsEmpty());
}

TEST(ControlFlowResultsTest, TypesMustBeOfOneKind) {
  EXPECT_THAT(PairResults(*Choice({"k"}), *Choice({}, {"k"})), IsEmpty());
  EXPECT_FALSE(ShareVariable(*Choice({"k"}), *Choice({"l"})));
}

}  // namespace
}  // namespace ns
