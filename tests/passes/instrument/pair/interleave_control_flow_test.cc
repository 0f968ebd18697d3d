#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/instrument/pair/interleave.h"
#include "tests/testing/interleaved.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr char kChoice[] = R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::relu(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::tanh(%x)
      -> (%b)
  %z : Tensor = aten::neg(%y)
  return (%z))IR";

TEST(InterleaveTest, IfsRunAsOneWhereConditionsAgree) {
  Interleaved both(kChoice, kChoice, {{"a", "a"}, {"b", "b"}, {"z", "z"}});
  NS_ASSERT_OK(both.Run());
  ExpectShortIr(*both.host, R"IR(
%4 = aten::eq(%1, %3)
%23, %24 = prim::If(%4)
  then:
    %11, %12 = prim::If(%1)
      then:
        %5 = aten::relu(%0)
        %6 = aten::relu(%2)
        %7 = aten::equal(%5, %6)
        -> (%5, %6)
      else:
        %8 = aten::tanh(%0)
        %9 = aten::tanh(%2)
        %10 = aten::equal(%8, %9)
        -> (%8, %9)
    -> (%11, %12)
  else:
    %17 = prim::If(%1)
      then:
        %13 = aten::relu(%0)
        %14 = aten::sinh(%13)
        -> (%13)
      else:
        %15 = aten::tanh(%0)
        %16 = aten::sinh(%15)
        -> (%15)
    %22 = prim::If(%3)
      then:
        %18 = aten::relu(%2)
        %19 = aten::cosh(%18)
        -> (%18)
      else:
        %20 = aten::tanh(%2)
        %21 = aten::cosh(%20)
        -> (%20)
    -> (%17, %22)
%25 = aten::neg(%23)
%26 = aten::neg(%24)
%27 = aten::equal(%25, %26)
return (%25, %26))IR");
}

TEST(InterleaveTest, IfsComputeWhatTheyDoAlone) {
  Interleaved both(kChoice, kChoice, {{"a", "a"}, {"b", "b"}, {"z", "z"}});
  NS_ASSERT_OK(both.Run());
  at::manual_seed(1);
  for (const bool of_a : {false, true}) {
    for (const bool of_b : {false, true}) {
      ExpectSameValues(both, {at::randn({3}), of_a}, {at::randn({3}), of_b});
    }
  }
}

constexpr char kNoChoice[] = R"IR(
graph(%x : Tensor, %p : bool):
  %a : Tensor = aten::relu(%x)
  %z : Tensor = aten::neg(%a)
  return (%z))IR";

TEST(InterleaveTest, ApartValuesPassByOnTheirOwn) {
  Interleaved both(kChoice, kNoChoice, {{"a", "a"}, {"z", "z"}});
  NS_ASSERT_OK(both.Run());
  EXPECT_THAT(both.marks.seen, ElementsAre("apart a 0", "apart b 0", "meet 1"));
  ExpectSameValues(both, {at::randn({3}), true}, {at::randn({3}), true});
}

// What a choice that runs as one gives is told behind it.
TEST(InterleaveTest, ApartResultsOfControlFlowPassByToo) {
  Interleaved both(kChoice, kChoice, {{"a", "a"}, {"y", "b"}, {"b", "y"}});
  NS_ASSERT_OK(both.Run());
  const auto told = [&](const char* what) {
    return std::count(both.marks.seen.begin(), both.marks.seen.end(), what);
  };
  EXPECT_EQ(told("apart a 1"), 1);
  EXPECT_EQ(told("apart b 2"), 1);
  // In step, and where each runs by itself.
  EXPECT_EQ(told("apart b 1"), 2);
  EXPECT_EQ(told("apart a 2"), 2);
}

// A value from outside that is to come by in an arm.
TEST(InterleaveTest, ValuesComeByAtTheBeginningOfABlock) {
  Interleaved both(kChoice, kChoice, {{"x", "a"}});
  both.points[0].block_a = both.a.Named("a")->node()->owningBlock();
  NS_ASSERT_OK(both.Run());
  ExpectShortIr(*both.host, R"IR(
%4 = aten::eq(%1, %3)
%20, %21 = prim::If(%4)
  then:
    %10, %11 = prim::If(%1)
      then:
        %5 = aten::relu(%2)
        %6 = aten::equal(%0, %5)
        %7 = aten::relu(%0)
        -> (%7, %5)
      else:
        %8 = aten::tanh(%0)
        %9 = aten::tanh(%2)
        -> (%8, %9)
    -> (%10, %11)
  else:
    %15 = prim::If(%1)
      then:
        %12 = aten::sinh(%0)
        %13 = aten::relu(%0)
        -> (%13)
      else:
        %14 = aten::tanh(%0)
        -> (%14)
    %19 = prim::If(%3)
      then:
        %16 = aten::relu(%2)
        %17 = aten::cosh(%16)
        -> (%16)
      else:
        %18 = aten::tanh(%2)
        -> (%18)
    -> (%15, %19)
%22 = aten::neg(%20)
%23 = aten::neg(%21)
return (%22, %23))IR");
}

TEST(InterleaveTest, IfsWithoutMeetingsStayPlain) {
  Interleaved both(kChoice, kChoice, {{"z", "z"}});
  NS_ASSERT_OK(both.Run());
  EXPECT_THAT(NodesOf(*both.host, "prim::If"), SizeIs(2));
  EXPECT_THAT(NodesOf(*both.host, "aten::relu"), SizeIs(2));
}

constexpr char kLoop[] = R"IR(
graph(%x : Tensor, %n : int, %stop : int):
  %yes : bool = prim::Constant[value=1]()
  %one : int = prim::Constant[value=1]()
  %go : bool = aten::ge(%stop, %one)
  %y : Tensor, %k : Tensor = prim::Loop(%n, %go, %x, %x)
    block0(%i : int, %v : Tensor, %w : Tensor):
      %a : Tensor = aten::add(%w, %i, %one)
      %b : Tensor = aten::neg(%a)
      %next : int = aten::add(%i, %one)
      %more : bool = aten::lt(%next, %stop)
      -> (%more, %a, %b)
  return (%y, %k))IR";

TEST(InterleaveTest, LoopsGoOnForAsLongAsBothDo) {
  Interleaved both(kLoop, kLoop, {{"a", "a"}, {"b", "b"}});
  NS_ASSERT_OK(both.Run());
  EXPECT_THAT(both.marks.seen,
              ElementsAre("meet 0", "meet 1", "alone a 0", "alone a 1",
                          "alone b 0", "alone b 1"));
  at::manual_seed(1);
  for (const int64_t n_a : {0, 1, 4}) {
    for (const int64_t stop_a : {0, 2, 9}) {
      for (const int64_t n_b : {0, 3}) {
        for (const int64_t stop_b : {0, 1, 9}) {
          SCOPED_TRACE(absl::StrCat(n_a, " ", stop_a, " ", n_b, " ", stop_b));
          ExpectSameValues(both, {at::randn({3}), n_a, stop_a},
                           {at::randn({3}), n_b, stop_b});
        }
      }
    }
  }
}

TEST(InterleaveTest, LoopsWithoutEndRunUntilTheirConditionFails) {
  Interleaved both(kLoop, kLoop, {{"a", "a"}});
  NS_ASSERT_OK(both.Run());
  const int64_t endless = std::numeric_limits<int64_t>::max();
  ExpectSameValues(both, {at::randn({3}), endless, 5},
                   {at::randn({3}), endless, 3});
  ExpectSameValues(both, {at::randn({3}), -1, 5}, {at::randn({3}), 2, 3});
}

constexpr char kNested[] = R"IR(
graph(%x : Tensor, %n : int, %m : int):
  %yes : bool = prim::Constant[value=1]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor = prim::Loop(%n, %yes, %x)
    block0(%i : int, %v : Tensor):
      %a : Tensor = aten::add(%v, %i, %one)
      %first : bool = aten::lt(%i, %m)
      %u : Tensor = prim::If(%first)
        block0():
          %b : Tensor = aten::sin(%a)
          %s : Tensor = prim::Loop(%m, %first, %b)
            block0(%j : int, %t : Tensor):
              %c : Tensor = aten::add(%t, %j, %one)
              -> (%yes, %c)
          -> (%s)
        block1():
          %d : Tensor = aten::cos(%a)
          -> (%d)
      -> (%yes, %u)
  return (%y))IR";

TEST(InterleaveTest, NestedControlFlowComputesWhatItDoesAlone) {
  Interleaved both(kNested, kNested,
                   {{"a", "a"}, {"b", "b"}, {"c", "c"}, {"d", "d"}});
  NS_ASSERT_OK(both.Run());
  at::manual_seed(1);
  for (const int64_t n_a : {0, 3}) {
    for (const int64_t m_a : {0, 2, 5}) {
      for (const int64_t n_b : {1, 3, 4}) {
        for (const int64_t m_b : {0, 1, 2}) {
          SCOPED_TRACE(absl::StrCat(n_a, " ", m_a, " ", n_b, " ", m_b));
          ExpectSameValues(both, {at::randn({3}), n_a, m_a},
                           {at::randn({3}), n_b, m_b});
        }
      }
    }
  }
}

TEST(InterleaveTest, ValuesOfOneNodeAndParametersMeet) {
  Interleaved both(kLoop, kLoop,
                   {{"y", "k"}, {"k", "y"}, {"v", "a"}, {"x", "x"}});
  NS_ASSERT_OK(both.Run());
  EXPECT_THAT(both.marks.seen, ElementsAre("meet 3", "meet 2", "alone a 2",
                                           "alone b 2", "meet 0", "meet 1"));
  ExpectSameValues(both, {at::randn({3}), 3, 9}, {at::randn({3}), 2, 9});
}

}  // namespace
}  // namespace ns
