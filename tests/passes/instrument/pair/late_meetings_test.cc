#include "passes/instrument/pair/late_meetings.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/instrument/pair/interleave.h"
#include "tests/testing/interleaved.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Notes what it is told, and whether the host knows of what comes later.
class Notes final : public MeetingListener {
 public:
  Notes(const GraphCopies& copies_b, const Node* node_of_b)
      : copies_b_(copies_b), node_of_b_(node_of_b) {}

  absl::Status Meet(size_t point, Value*, Value* b, Node* place) override {
    return Note(absl::StrCat("meet ", point), b, place);
  }
  absl::Status PassBy(size_t point, bool is_b, Value* value, bool apart,
                      Node* place) override {
    return Note(absl::StrCat(is_b ? "b" : "a", " passes by ", point,
                             apart ? " apart" : ""),
                value, place);
  }

  std::vector<std::string> notes;
  // What Meet and PassBy return.
  absl::Status status;

 private:
  absl::Status Note(const std::string& what, Value* value, Node* place) {
    const auto copy = copies_b_.nodes.find(node_of_b_);
    const bool is_of_copy =
        copy != copies_b_.nodes.end() && copy->second == value->node();
    const bool is_complete = !place->owningGraph()->outputs().empty();
    const bool is_behind = value->node()->isBefore(place);
    notes.push_back(absl::StrCat(what, is_of_copy ? ", of the copy" : "",
                                 is_complete ? ", complete" : "",
                                 is_behind ? "" : ", misplaced"));
    return status;
  }

  const GraphCopies& copies_b_;
  const Node* node_of_b_;
};

constexpr char kChoice[] = R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::sigmoid(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::tanh(%x)
      -> (%b)
  return (%y))IR";

// The sigmoid of B is copied twice: in step with that of A, and alone.
TEST(LateMeetingsTest, CallsSeeTheCompleteHostAndTheirCopies) {
  Interleaved both(kChoice, kChoice, {{"a", "a"}});
  const Node* sigmoid = NodeOf(*both.b, "aten::sigmoid");
  LateMeetings late(both.copies_a, both.copies_b, {{}}, {{sigmoid}});
  NS_ASSERT_OK(Interleave(*both.a, *both.b, both.points, *both.host,
                          both.copies_a, both.copies_b, late));
  both.host->registerOutput(both.copies_b.values.lookup(both.b->outputs()[0]));
  Notes notes(both.copies_b, sigmoid);
  NS_ASSERT_OK(late.Replay(notes));
  EXPECT_THAT(notes.notes, ElementsAre("meet 0, of the copy, complete",
                                       "a passes by 0, complete",
                                       "b passes by 0, of the copy, complete"));
  // No trace of the calls is left.
  EXPECT_EQ(NodesOf(*both.host, "prim::Constant").size(), 0);
}

TEST(LateMeetingsTest, ReturnsTheErrorOfTheListener) {
  Interleaved both(kChoice, kChoice, {{"a", "a"}});
  LateMeetings late(both.copies_a, both.copies_b, {{}}, {{}});
  NS_ASSERT_OK(Interleave(*both.a, *both.b, both.points, *both.host,
                          both.copies_a, both.copies_b, late));
  Notes notes(both.copies_b, nullptr);
  notes.status = absl::InternalError("no place");
  EXPECT_EQ(late.Replay(notes).message(), "no place");
  EXPECT_EQ(notes.notes.size(), 1);
}

}  // namespace
}  // namespace ns
