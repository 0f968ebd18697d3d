#include "passes/matching/matches/match_follower.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Node;

constexpr char kTwoOps[] = R"IR(
graph(%x : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%s)
  return (%t))IR";

class MatchFollowerTest : public testing::Test {
 protected:
  // Puts another op in the place of tanh.
  Node* Replace() {
    Node* old = NodeOf(b_.graph(), "aten::tanh");
    Node* now = b_.graph().create(c10::Symbol::fromQualString("aten::relu"),
                                  {old->input(0)});
    now->insertBefore(old);
    old->output()->replaceAllUsesWith(now->output());
    return now;
  }

  const ModelGraph a_ = ModelOf(kTwoOps);
  const ModelGraph b_ = ModelOf(kTwoOps);
  MatchResult matches_ = OrThrow(MatchSubgraphs(a_, b_));
};

TEST_F(MatchFollowerTest, FollowsWhatItIsTold) {
  MatchFollower follower(matches_);
  Node* now = Replace();
  Node* old = NodeOf(b_.graph(), "aten::tanh");
  follower.Replaced(*old->output(), *now->output());
  old->destroy();
  ASSERT_TRUE(follower.Follow(b_.graph()));
  const MatchedSide& side = matches_.matches[1].b;
  EXPECT_EQ(side.subgraph.base, now);
  EXPECT_EQ(side.subgraph.nodes[0], now);
  EXPECT_EQ(side.output, now->output());
}

TEST_F(MatchFollowerTest, FollowsFromOneReplacementToTheNext) {
  MatchFollower follower(matches_);
  Node* between = Replace();
  Node* old = NodeOf(b_.graph(), "aten::tanh");
  follower.Replaced(*old->output(), *between->output());
  old->destroy();
  Node* now = b_.graph().create(c10::Symbol::fromQualString("aten::sigmoid"),
                                {between->input(0)});
  now->insertBefore(between);
  between->output()->replaceAllUsesWith(now->output());
  follower.Replaced(*between->output(), *now->output());
  between->destroy();
  ASSERT_TRUE(follower.Follow(b_.graph()));
  EXPECT_EQ(matches_.matches[1].b.subgraph.base, now);
  EXPECT_EQ(matches_.matches[1].b.output, now->output());
}

// As where a lowered layer takes in its activation.
TEST_F(MatchFollowerTest, OneOpMayDoWhatTwoDid) {
  Subgraph& subgraph = matches_.matches[1].b.subgraph;
  Node* sigmoid = NodeOf(b_.graph(), "aten::sigmoid");
  Node* tanh = NodeOf(b_.graph(), "aten::tanh");
  subgraph.start = subgraph.base = sigmoid;
  subgraph.nodes = {sigmoid, tanh};
  matches_.matches.erase(matches_.matches.begin());
  MatchFollower follower(matches_);
  Node* now = Replace();
  follower.Replaced(*sigmoid->output(), *now->output());
  follower.Replaced(*tanh->output(), *now->output());
  now->replaceInput(0, b_.graph().inputs()[1]);
  tanh->destroy();
  sigmoid->destroy();
  ASSERT_TRUE(follower.Follow(b_.graph()));
  const Subgraph& followed = matches_.matches[0].b.subgraph;
  EXPECT_EQ(followed.start, now);
  EXPECT_THAT(followed.nodes, testing::ElementsAre(now));
}

// As where a quantize node moves into the arms of an If.
TEST_F(MatchFollowerTest, TheValueMayBeAnotherOutput) {
  MatchFollower follower(matches_);
  Node* old = NodeOf(b_.graph(), "aten::tanh");
  Node* now = b_.graph().create(c10::Symbol::fromQualString("aten::frexp"),
                                {old->input(0)}, /*num_outputs=*/2);
  now->insertBefore(old);
  old->output()->replaceAllUsesWith(now->output(1));
  follower.Replaced(*old->output(), *now->output(1));
  old->destroy();
  ASSERT_TRUE(follower.Follow(b_.graph()));
  EXPECT_EQ(matches_.matches[1].b.output, now->output(1));
}

TEST_F(MatchFollowerTest, LeavesMatchesOfAnUnchangedGraph) {
  MatchFollower follower(matches_);
  ASSERT_TRUE(follower.Follow(b_.graph()));
  EXPECT_EQ(matches_.matches[1].b.subgraph.base,
            NodeOf(b_.graph(), "aten::tanh"));
}

TEST_F(MatchFollowerTest, NoticesANodeThatWentWithoutAWord) {
  MatchFollower follower(matches_);
  Replace();
  NodeOf(b_.graph(), "aten::tanh")->destroy();
  EXPECT_FALSE(follower.Follow(b_.graph()));
}

// The allocator may give its address to the next node.
TEST_F(MatchFollowerTest, ALaterNodeIsNotTakenForOneThatIsGone) {
  MatchFollower follower(matches_);
  Node* old = NodeOf(b_.graph(), "aten::tanh");
  old->output()->replaceAllUsesWith(old->input(0));
  old->destroy();
  Node* last = NodeOf(b_.graph(), "aten::sigmoid");
  Node* now = b_.graph().create(c10::Symbol::fromQualString("aten::relu"),
                                {last->output()});
  now->insertAfter(last);
  EXPECT_FALSE(follower.Follow(b_.graph()));
}

}  // namespace
}  // namespace ns
