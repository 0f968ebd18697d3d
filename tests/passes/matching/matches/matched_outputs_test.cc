#include "passes/matching/matches/matched_outputs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

// Values by their names in IR text, and index and name of the output.
using Found = std::tuple<std::string, std::string, size_t, std::string>;

// What is compared where the values `a` and `b` of two graphs are matched.
class Matched {
 public:
  Matched(const char* text_a, const char* text_b) : a_(text_a), b_(text_b) {}

  // Names the variables that values of the text are, as in a model of Python.
  void CallVariables(const std::string& a, const std::string& name_a,
                     const std::string& b, const std::string& name_b) const {
    a_.Named(a)->setDebugName(name_a);
    b_.Named(b)->setDebugName(name_b);
  }

  std::vector<Found> Outputs(const std::string& a, const std::string& b,
                             bool is_quantize_point = false) const {
    SubgraphMatch match;
    match.is_quantize_point = is_quantize_point;
    match.a.output = a_.Named(a);
    match.b.output = b_.Named(b);
    std::vector<Found> found;
    for (const MatchedOutput& output : MatchedOutputs(match)) {
      found.emplace_back(NameIn(a_, output.a), NameIn(b_, output.b),
                         output.index, output.name);
    }
    return found;
  }

 private:
  static std::string NameIn(const NamedGraph& graph,
                            const OutputTensor& tensor) {
    for (const char* name : {"y", "h", "c", "r", "s", "t"}) {
      try {
        if (graph.Named(name) == tensor.value) {
          return tensor.place == 0 ? name
                 : tensor.place == kAllElements
                     ? absl::StrCat(name, " whole")
                     : absl::StrCat(name, tensor.place);
        }
      } catch (const std::runtime_error&) {
        continue;  // Another graph has it.
      }
    }
    return "?";
  }

  NamedGraph a_;
  NamedGraph b_;
};

constexpr char kLstm[] = R"IR(
graph(%x : Tensor, %state : Tensor[], %weights : Tensor[]):
  %no : bool = prim::Constant[value=0]()
  %zero : float = prim::Constant[value=0.]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor, %h : Tensor, %c : Tensor = aten::lstm(%x, %state, %weights, %no, %one, %zero, %no, %no, %no)
  return (%y))IR";

constexpr char kRelu[] = R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR";

TEST(MatchedOutputsTest, OutputsOfTwoOpsCorrespondByPosition) {
  EXPECT_THAT(
      Matched(kLstm, kLstm).Outputs("y", "y"),
      ElementsAre(Found("y", "y", 0, "output"), Found("h", "h", 1, "h_n"),
                  Found("c", "c", 2, "c_n")));
}

TEST(MatchedOutputsTest, OneOutputHasNoName) {
  EXPECT_THAT(Matched(kRelu, kRelu).Outputs("y", "y"),
              ElementsAre(Found("y", "y", 0, "")));
}

TEST(MatchedOutputsTest, WhatOnlyOneSideGivesIsLeftOut) {
  EXPECT_THAT(Matched(kLstm, kRelu).Outputs("y", "y"),
              ElementsAre(Found("y", "y", 0, "")));
  EXPECT_THAT(Matched(kRelu, kLstm).Outputs("y", "y"),
              ElementsAre(Found("y", "y", 0, "output")));
}

TEST(MatchedOutputsTest, QuantizePointsHaveOne) {
  EXPECT_THAT(Matched(kLstm, kRelu).Outputs("h", "y", true),
              ElementsAre(Found("h", "y", 0, "")));
}

TEST(MatchedOutputsTest, TensorsOfTuplesCorrespondByPlace) {
  constexpr char kTuple[] = R"IR(
graph(%x : Tensor, %n : int):
  %t : (Tensor, (int, Tensor)) = my::op(%x, %n)
  return (%t))IR";
  EXPECT_THAT(
      Matched(kTuple, kTuple).Outputs("t", "t"),
      ElementsAre(Found("t", "t", 0, "output"), Found("t1", "t1", 1, "1")));
}

// %t is read element by element, or whole.
constexpr char kUnbound[] = R"IR(
graph(%x : Tensor, %zero : int):
  %t : Tensor[] = aten::unbind(%x, %zero)
  %a : Tensor, %b : Tensor = prim::ListUnpack(%t)
  return (%a))IR";
constexpr char kWhole[] = R"IR(
graph(%x : Tensor, %zero : int):
  %t : Tensor[] = aten::unbind(%x, %zero)
  %a : Tensor = aten::stack(%t, %zero)
  return (%a))IR";

TEST(MatchedOutputsTest, ElementsOfListsAreToldApartIfBothSidesTellThem) {
  EXPECT_THAT(
      Matched(kUnbound, kUnbound).Outputs("t", "t"),
      ElementsAre(Found("t", "t", 0, "output"), Found("t1", "t1", 1, "1")));
  const Found whole("t whole", "t whole", 0, "");
  EXPECT_THAT(Matched(kWhole, kWhole).Outputs("t", "t"), ElementsAre(whole));
  EXPECT_THAT(Matched(kUnbound, kWhole).Outputs("t", "t"), ElementsAre(whole));
  EXPECT_THAT(Matched(kWhole, kUnbound).Outputs("t", "t"), ElementsAre(whole));
}

constexpr char kIf[] = R"IR(
graph(%x : Tensor, %p : bool):
  %r : Tensor, %s : Tensor = prim::If(%p)
    block0():
      %u : Tensor = aten::relu(%x)
      -> (%u, %x)
    block1():
      -> (%x, %x)
  return (%r))IR";

TEST(MatchedOutputsTest, ResultsOfTwoIfsCorrespondByVariable) {
  const Matched same(kIf, kIf);
  same.CallVariables("r", "result", "r", "result");
  same.CallVariables("s", "state", "s", "state");
  EXPECT_THAT(same.Outputs("r", "r"), ElementsAre(Found("r", "r", 0, "output"),
                                                  Found("s", "s", 1, "1")));
  // B gives them in another order.
  const Matched turned(kIf, kIf);
  turned.CallVariables("r", "result", "s", "result");
  turned.CallVariables("s", "state", "r", "state");
  EXPECT_THAT(
      turned.Outputs("r", "s"),
      ElementsAre(Found("r", "s", 0, "output"), Found("s", "r", 1, "1")));
}

TEST(MatchedOutputsTest, OfAnIfAndAnOpOnlyTheFirstCorresponds) {
  EXPECT_THAT(Matched(kIf, kLstm).Outputs("r", "y"),
              ElementsAre(Found("r", "y", 0, "output")));
  EXPECT_THAT(Matched(kLstm, kIf).Outputs("y", "r"),
              ElementsAre(Found("y", "r", 0, "output")));
}

}  // namespace
}  // namespace ns
