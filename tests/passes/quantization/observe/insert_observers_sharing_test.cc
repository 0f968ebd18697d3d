// Which values share an observer, and which hand on what others have seen.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/quantization/observe/insert_observers.h"
#include "tests/testing/float_model.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/short_ir.h"

namespace ns {
namespace {

// Fails the test unless the pass makes `text`, a ShortIr, of a model.
void ExpectObserved(ModelGraph model, absl::string_view text) {
  ObserverPlanOptions options;
  options.mapping.SetGlobal(Int8PerTensorQConfig());
  EXPECT_TRUE(RunPass(InsertObservers(options), model).changed);
  ExpectShortIr(model.graph(), text);
}

// The pool hands on what the observer in front of it has seen; flatten has
// none.
TEST(InsertObserversSharingTest, PoolsShareTheObserverOfTheirInput) {
  ExpectObserved(FloatModel({absl::StrCat("y = torch.max_pool2d(", ConvOf("x"),
                                          ", [2, 2])"),
                             "return torch.flatten(y, 1)"}),
                 R"(
%1 = self.ns_observer_0.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_2.forward(%1)
%4 = aten::conv2d(%3, %2, <Tensor>, [1, 1], [1, 1], [1, 1], 1)
%5 = self.ns_observer_1.forward(%4)
%6 = aten::max_pool2d(%5, [2, 2], [], [0, 0], [1, 1], False)
%7 = self.ns_observer_1.hand_on(%6)
%8 = aten::flatten(%7, 1, -1)
return (%8))");
}

TEST(InsertObserversSharingTest, CatAndWhatItJoinsShareOne) {
  ExpectObserved(FloatModel({absl::StrCat("a = ", LinearOf("x")),
                             "return torch.cat([a, x], 1)"}),
                 R"(
%1 = self.ns_observer_1.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_2.forward(%1)
%4 = aten::linear(%3, %2, <Tensor>)
%5 = self.ns_observer_1.forward(%4)
%6 = prim::ListConstruct(%5, %1)
%7 = aten::cat(%6, 1)
%8 = self.ns_observer_1.forward(%7)
return (%8))");
}

TEST(InsertObserversSharingTest, StackHandsItsRangeOn) {
  ExpectObserved(FloatModel({absl::StrCat("a = ", LinearOf("x")),
                             "return torch.stack([a, x])"}),
                 R"(
%1 = self.ns_observer_1.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_2.forward(%1)
%4 = aten::linear(%3, %2, <Tensor>)
%5 = self.ns_observer_1.forward(%4)
%6 = prim::ListConstruct(%5, %1)
%7 = aten::stack(%6, 0)
%8 = self.ns_observer_1.hand_on(%7)
return (%8))");
}

TEST(InsertObserversSharingTest, PiecesOfAValueAreNotObservedAgain) {
  ExpectObserved(
      FloatModel({absl::StrCat("a, b = torch.chunk(", LinearOf("x"), ", 2, 1)"),
                  "return torch.dropout(a, 0.5, False) + b"}),
      R"(
%1 = self.ns_observer_0.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_3.forward(%1)
%4 = aten::linear(%3, %2, <Tensor>)
%5 = self.ns_observer_1.forward(%4)
%6 = aten::chunk(%5, 2, 1)
%7, %8 = prim::ListUnpack(%6)
%9 = aten::dropout(%7, 0.5, False)
%10 = aten::add(%9, %8, 1)
%11 = self.ns_observer_2.forward(%10)
return (%11))");
}

// Where nothing in front is quantized, the value behind the dropout is seen.
TEST(InsertObserversSharingTest, DropoutOfAFloatValueIsPassedBy) {
  ExpectObserved(FloatModel({"return torch.dropout(x, 0.5, False) + x"}),
                 R"(
%1 = self.ns_observer_1.forward(%0)
%2 = aten::dropout(%0, 0.5, False)
%3 = self.ns_observer_0.forward(%2)
%4 = aten::add(%3, %1, 1)
%5 = self.ns_observer_2.forward(%4)
return (%5))");
}

// The layer in front gets the scale of what is left of its values.
TEST(InsertObserversSharingTest, ClampGivesItsRangeToTheOpInFront) {
  ExpectObserved(FloatModel({absl::StrCat("return torch.hardtanh(", ConvOf("x"),
                                          ", -1., 1.)")}),
                 R"(
%1 = self.ns_observer_0.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_2.forward(%1)
%4 = aten::conv2d(%3, %2, <Tensor>, [1, 1], [1, 1], [1, 1], 1)
%5 = self.ns_observer_1.hand_on(%4)
%6 = aten::hardtanh(%5, -1, 1)
%7 = self.ns_observer_1.forward(%6)
return (%7))");
}

TEST(InsertObserversSharingTest, ReluGivesItsRangeToAnOpThatDoesNotFuseIt) {
  ExpectObserved(FloatModel({absl::StrCat("return torch.relu(torch.tanh(",
                                          LinearOf("x"), "))")}),
                 R"(
%1 = self.ns_observer_0.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_3.forward(%1)
%4 = aten::linear(%3, %2, <Tensor>)
%5 = self.ns_observer_1.forward(%4)
%6 = aten::tanh(%5)
%7 = self.ns_observer_2.hand_on(%6)
%8 = aten::relu(%7)
%9 = self.ns_observer_2.forward(%8)
return (%9))");
  ExpectObserved(FloatModel({"y = torch.conv_transpose2d(x, self.w2, self.b)",
                             "return torch.relu(y)"}),
                 R"(
%1 = self.ns_observer_0.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_2.forward(%1)
%4 = aten::conv_transpose2d(%3, %2, <Tensor>, [1, 1], [0, 0], [0, 0], 1, [1, 1])
%5 = self.ns_observer_1.hand_on(%4)
%6 = aten::relu(%5)
%7 = self.ns_observer_1.forward(%6)
return (%7))");
}

TEST(InsertObserversSharingTest, ClampOfAValueWithOtherUsersHandsOn) {
  ExpectObserved(FloatModel({absl::StrCat("a = ", LinearOf("x")),
                             "return torch.relu6(a) + a"}),
                 R"(
%1 = self.ns_observer_0.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_3.forward(%1)
%4 = aten::linear(%3, %2, <Tensor>)
%5 = self.ns_observer_1.forward(%4)
%6 = aten::relu6(%5)
%7 = self.ns_observer_1.hand_on(%6)
%8 = aten::add(%7, %5, 1)
%9 = self.ns_observer_2.forward(%8)
return (%9))");
}

TEST(InsertObserversSharingTest, SumsOfBranchesHaveARangeOfTheirOwn) {
  ExpectObserved(FloatModel({absl::StrCat("return torch.relu(", LinearOf("x"),
                                          " + ", LinearOf("y"), ")")},
                            "x: Tensor, y: Tensor"),
                 R"(
%2 = self.ns_observer_2.forward(%1)
%3 = self.ns_observer_0.forward(%0)
%4 = ns::observed_weight(<Tensor>, 0)
%5 = self.ns_observer_5.forward(%3)
%6 = aten::linear(%5, %4, <Tensor>)
%7 = self.ns_observer_1.forward(%6)
%8 = ns::observed_weight(<Tensor>, 1)
%9 = self.ns_observer_6.forward(%2)
%10 = aten::linear(%9, %8, <Tensor>)
%11 = self.ns_observer_3.forward(%10)
%12 = aten::add(%7, %11, 1)
%13 = aten::relu(%12)
%14 = self.ns_observer_4.forward(%13)
return (%14))");
}

TEST(InsertObserversSharingTest, ArmsShareOneObserver) {
  ExpectObserved(
      FloatModel(
          {"if x.size(0) > 1:", absl::StrCat("  a = ", LinearOf("x")),
           "else:", absl::StrCat("  a = torch.relu(", LinearOf("x"), ")"),
           "return a * x"}),
      R"(
%1 = self.ns_observer_0.forward(%0)
%2 = aten::size(%0, 0)
%3 = aten::gt(%2, 1)
%13 = prim::If(%3)
  then:
    %4 = ns::observed_weight(<Tensor>, 0)
    %5 = self.ns_observer_4.forward(%1)
    %6 = aten::linear(%5, %4, <Tensor>)
    %7 = self.ns_observer_1.forward(%6)
    -> (%7)
  else:
    %8 = ns::observed_weight(<Tensor>, 1)
    %9 = self.ns_observer_5.forward(%1)
    %10 = aten::linear(%9, %8, <Tensor>)
    %11 = aten::relu(%10)
    %12 = self.ns_observer_1.forward(%11)
    -> (%12)
%14 = self.ns_observer_1.hand_on(%13)
%15 = aten::mul(%14, %1)
%16 = self.ns_observer_3.forward(%15)
return (%16))");
}

TEST(InsertObserversSharingTest, ArmsOfWhichOneIsFloatGiveAFloatValue) {
  ExpectObserved(
      FloatModel({"if x.size(0) > 1:", absl::StrCat("  a = ", LinearOf("x")),
                  "else:", "  a = torch.exp(x)", "return a * x"}),
      R"(
%1 = self.ns_observer_0.forward(%0)
%2 = aten::size(%0, 0)
%3 = aten::gt(%2, 1)
%9 = prim::If(%3)
  then:
    %4 = ns::observed_weight(<Tensor>, 0)
    %5 = self.ns_observer_4.forward(%1)
    %6 = aten::linear(%5, %4, <Tensor>)
    %7 = self.ns_observer_1.forward(%6)
    -> (%7)
  else:
    %8 = aten::exp(%0)
    -> (%8)
%10 = self.ns_observer_2.forward(%9)
%11 = aten::mul(%10, %1)
%12 = self.ns_observer_3.forward(%11)
return (%12))");
}

TEST(InsertObserversSharingTest, WhatALoopCarriesHasOneObserver) {
  ExpectObserved(
      FloatModel({absl::StrCat("a = ", LinearOf("x")),
                  "for i in range(x.size(0)):",
                  absl::StrCat("  a = ", LinearOf("a")), "return a * x"}),
      R"(
%1 = self.ns_observer_0.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_5.forward(%1)
%4 = aten::linear(%3, %2, <Tensor>)
%5 = self.ns_observer_1.forward(%4)
%6 = aten::size(%0, 0)
%14 = prim::Loop(%6, True, %5)
  block(%7, %8):
    %9 = self.ns_observer_1.forward(%8)
    %10 = ns::observed_weight(<Tensor>, 1)
    %11 = self.ns_observer_6.forward(%9)
    %12 = aten::linear(%11, %10, <Tensor>)
    %13 = self.ns_observer_1.forward(%12)
    -> (True, %13)
%15 = self.ns_observer_1.hand_on(%14)
%16 = aten::mul(%15, %1)
%17 = self.ns_observer_4.forward(%16)
return (%17))");
}

}  // namespace
}  // namespace ns
