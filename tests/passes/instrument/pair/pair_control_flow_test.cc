// Paired models with control flow: what runs in step, what is counted where the
// models part, and that each computes what it does alone.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/pair/pair_models.h"
#include "passes/matching/graph_matcher.h"
#include "passes/runtime/loggers/pair_comparer.h"
#include "tests/testing/ir.h"
#include "tests/testing/paired.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Node;

class PairControlFlowTest : public testing::Test {
 protected:
  PairControlFlowTest() {
    at::manual_seed(9);
    x_ = at::randn({2, 4});
  }

  at::Tensor x_;
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
  %z : Tensor = aten::hardswish(%y)
  return (%z))IR";

// With another input for the condition: it is not shared.
constexpr char kOtherChoice[] = R"IR(
graph(%x : Tensor, %p : int):
  %zero : int = prim::Constant[value=0]()
  %c : bool = aten::ne(%p, %zero)
  %y : Tensor = prim::If(%c)
    block0():
      %a : Tensor = aten::sigmoid(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::tanh(%x)
      -> (%b)
  %z : Tensor = aten::hardswish(%y)
  return (%z))IR";

TEST_F(PairControlFlowTest, ControlFlowStaysAndMissesAreCounted) {
  Paired models(kChoice, kOtherChoice);
  EXPECT_THAT(models.pair.own_inputs_of_b, ElementsAre(1));
  ExpectShortIr(models.pair.model.graph(), R"IR(
%3 = aten::ne(%2, 0)
%4 = aten::eq(%1, %3)
%17, %18 = prim::If(%4)
  then:
    %9, %10 = prim::If(%1)
      then:
        %5 = aten::sigmoid(%0)
        %6 = aten::sigmoid(%0)
        self.ns_comparer_0.compare(%5, %6)
        -> (%5, %6)
      else:
        %7 = aten::tanh(%0)
        %8 = aten::tanh(%0)
        self.ns_comparer_1.compare(%7, %8)
        -> (%7, %8)
    -> (%9, %10)
  else:
    %13 = prim::If(%1)
      then:
        %11 = aten::sigmoid(%0)
        self.ns_comparer_0.miss_y()
        -> (%11)
      else:
        %12 = aten::tanh(%0)
        self.ns_comparer_1.miss_y()
        -> (%12)
    %16 = prim::If(%3)
      then:
        %14 = aten::sigmoid(%0)
        self.ns_comparer_0.miss_x()
        -> (%14)
      else:
        %15 = aten::tanh(%0)
        self.ns_comparer_1.miss_x()
        -> (%15)
    -> (%13, %16)
%19 = aten::hardswish(%17)
%20 = aten::hardswish(%18)
self.ns_comparer_2.compare(%19, %20)
%21 = prim::TupleConstruct(%19, %20)
return (%21))IR");
}

TEST_F(PairControlFlowTest, NothingIsComparedOnDifferentWays) {
  for (const bool of_a : {false, true}) {
    for (const bool of_b : {false, true}) {
      Paired models(kChoice, kOtherChoice, All());
      models.ExpectSameAsAlone({x_, of_a}, {x_, of_b ? 1 : 0});
      const PairRecord& s = models.Activation("sigmoid")->record();
      const PairRecord& t = models.Activation("tanh")->record();
      EXPECT_EQ(s.batches.size(), of_a && of_b ? 1 : 0);
      EXPECT_EQ(t.batches.size(), !of_a && !of_b ? 1 : 0);
      EXPECT_EQ(s.only_x, of_a && !of_b ? 1 : 0);
      EXPECT_EQ(s.only_y, !of_a && of_b ? 1 : 0);
      EXPECT_EQ(t.only_x, !of_a && of_b ? 1 : 0);
      EXPECT_EQ(t.only_y, of_a && !of_b ? 1 : 0);
      EXPECT_EQ(models.Activation("hardswish")->record().batches.size(), 1);
      EXPECT_EQ(models.Inherited("sigmoid")->record().pooled.sums.count,
                of_a && of_b ? 8 : 0);
    }
  }
}

constexpr char kPlainSigmoid[] = R"IR(
graph(%x : Tensor, %p : bool):
  %a : Tensor = aten::sigmoid(%x)
  %z : Tensor = aten::hardswish(%a)
  return (%z))IR";

TEST_F(PairControlFlowTest, ControlFlowOfOneModelIsComparedAllTheSame) {
  for (const bool in_a : {false, true}) {
    Paired models(in_a ? kChoice : kPlainSigmoid,
                  in_a ? kPlainSigmoid : kChoice, All(),
                  {"sigmoid", "hardswish"});
    models.ExpectSameAsAlone({x_, true});
    ExpectCompared(models.Activation("sigmoid"), {x_.sigmoid()},
                   {x_.sigmoid()});
    ExpectCompared(models.Inherited("sigmoid"), {x_.sigmoid()}, {x_.sigmoid()});
    ExpectCompared(models.Shadow("sigmoid"), {x_.sigmoid()}, {x_.sigmoid()});
    EXPECT_EQ(models.Activation("sigmoid")->record().only_x, 0);
    models.ExpectSameAsAlone({x_, false});
    const PairRecord& record = models.Activation("sigmoid")->record();
    EXPECT_EQ(record.only_x, in_a ? 0 : 1);
    EXPECT_EQ(record.only_y, in_a ? 1 : 0);
    EXPECT_THAT(record.batches, SizeIs(1));
  }
}

// A value of A that no shadow stands for waits for none.
TEST_F(PairControlFlowTest, ApartMatchWithoutShadowHasNoInheritedError) {
  constexpr char kQuantizedInBranch[] = R"IR(
graph(%x : Tensor, %scale : float, %p : bool):
  %zero_point : int = prim::Constant[value=7]()
  %dtype : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %y : Tensor = prim::If(%p)
    block0():
      %s : Tensor = aten::sigmoid(%q)
      -> (%s)
    block1():
      -> (%q)
  %d : Tensor = aten::dequantize(%y)
  return (%d))IR";
  constexpr char kFloat[] = R"IR(
graph(%x : Tensor, %scale : float, %p : bool):
  %s : Tensor = aten::sigmoid(%x)
  return (%s))IR";
  Paired models(kQuantizedInBranch, kFloat, All(), {"sigmoid"});
  models.ExpectSameAsAlone({x_, 0.1, true});
  ASSERT_THAT(models.pair.not_shadowed, SizeIs(1));
  EXPECT_EQ(models.Shadow("sigmoid"), nullptr);
  EXPECT_EQ(models.Inherited("sigmoid"), nullptr);
}

// What is quantized in an arm of a loop's choice comes from outside of both: a
// value that is there on every trip, and quantized on some.
TEST_F(PairControlFlowTest, QuantizePointsAreComparedWhereTheyQuantize) {
  const auto source = [](const char* type, const char* otherwise) {
    return absl::StrCat("def forward(self, x: Tensor, flags: ", type,
                        ") -> Tensor:\n"
                        "    for flag in flags:\n"
                        "        if flag != 0:\n"
                        "            x = torch.tanh(x)\n"
                        "        else:\n"
                        "            x = ",
                        otherwise, "\n    return x\n");
  };
  constexpr char kFloat[] = "torch.sigmoid(x)";
  constexpr char kQuantized[] =
      "torch.dequantize(torch.sigmoid("
      "torch.quantize_per_tensor(x, 0.25, 3, 13)))";
  using Flags = std::vector<int64_t>;
  for (const auto& [of_a, of_b] :
       {std::pair(Flags{1, 0, 1, 0}, Flags{1, 0, 1, 0}),
        std::pair(Flags{1, 1, 0}, Flags{1, 1, 0}),
        std::pair(Flags{1, 0, 0}, Flags{1, 1, 0}),
        std::pair(Flags{0, 0}, Flags{0, 0, 0, 1})}) {
    Paired models(ModelOfSource(source("List[float]", kFloat)),
                  ModelOfSource(source("List[int]", kQuantized)), All());
    models.ExpectSameAsAlone(
        {x_, std::vector<double>(of_a.begin(), of_a.end())}, {x_, of_b});
    // By hand.
    at::Tensor a = x_;
    at::Tensor b = x_;
    std::vector<at::Tensor> points_a;
    std::vector<at::Tensor> points_b;
    int64_t only_a = 0;
    int64_t only_b = 0;
    for (size_t i = 0; i < std::max(of_a.size(), of_b.size()); ++i) {
      const bool quantizes_a = i < of_a.size() && of_a[i] == 0;
      const bool quantizes_b = i < of_b.size() && of_b[i] == 0;
      const at::Tensor codes = at::quantize_per_tensor(b, 0.25, 3, at::kQUInt8);
      if (quantizes_a && quantizes_b) {
        points_a.push_back(a);
        points_b.push_back(codes.dequantize());
      } else {
        only_a += quantizes_a;
        only_b += quantizes_b;
      }
      if (i < of_a.size()) {
        a = quantizes_a ? a.sigmoid() : a.tanh();
      }
      if (i < of_b.size()) {
        b = quantizes_b ? codes.sigmoid().dequantize() : b.tanh();
      }
    }
    const std::string name = models.matches.matches[1].name;
    ASSERT_TRUE(models.matches.matches[1].is_quantize_point);
    ExpectCompared(models.Activation(name), points_a, points_b);
    EXPECT_EQ(models.Activation(name)->record().only_x, only_a);
    EXPECT_EQ(models.Activation(name)->record().only_y, only_b);
  }
}

constexpr char kLoop[] = R"IR(
graph(%x : Tensor, %n : int):
  %yes : bool = prim::Constant[value=1]()
  %y : Tensor = prim::Loop(%n, %yes, %x)
    block0(%i : int, %v : Tensor):
      %a : Tensor = aten::sigmoid(%v)
      %b : Tensor = aten::tanh(%a)
      -> (%yes, %b)
  return (%y))IR";

// The number of trips is not shared.
constexpr char kOtherLoop[] = R"IR(
graph(%x : Tensor, %f : float):
  %yes : bool = prim::Constant[value=1]()
  %n : int = aten::Int(%f)
  %y : Tensor = prim::Loop(%n, %yes, %x)
    block0(%i : int, %v : Tensor):
      %a : Tensor = aten::sigmoid(%v)
      %b : Tensor = aten::tanh(%a)
      -> (%yes, %b)
  return (%y))IR";

TEST_F(PairControlFlowTest, LoopsRunAsOne) {
  Paired models(kLoop, kLoop);
  ExpectShortIr(models.pair.model.graph(), R"IR(
%2 = aten::lt(0, %1)
%3 = aten::__and__(%2, True)
%4 = aten::lt(0, %1)
%5 = aten::__and__(%4, True)
%6 = aten::__or__(%3, %5)
%35, %36, %37, %38 = prim::Loop(9223372036854775807, %6, %3, %5, %0, %0)
  block(%7, %8, %9, %10, %11):
    %12 = aten::__and__(%8, %9)
    %25, %26, %27, %28 = prim::If(%12)
      then:
        %13 = aten::sigmoid(%10)
        %14 = aten::sigmoid(%11)
        self.ns_comparer_0.compare(%13, %14)
        %15 = aten::tanh(%13)
        %16 = aten::tanh(%14)
        self.ns_comparer_1.compare(%15, %16)
        -> (True, %15, True, %16)
      else:
        %21, %22, %23, %24 = prim::If(%8)
          then:
            %17 = aten::sigmoid(%10)
            self.ns_comparer_0.miss_y()
            %18 = aten::tanh(%17)
            self.ns_comparer_1.miss_y()
            -> (True, %18, False, %11)
          else:
            %19 = aten::sigmoid(%11)
            self.ns_comparer_0.miss_x()
            %20 = aten::tanh(%19)
            self.ns_comparer_1.miss_x()
            -> (False, %10, True, %20)
        -> (%21, %22, %23, %24)
    %29 = aten::add(%7, 1)
    %30 = aten::lt(%29, %1)
    %31 = aten::__and__(%30, %25)
    %32 = aten::lt(%29, %1)
    %33 = aten::__and__(%32, %27)
    %34 = aten::__or__(%31, %33)
    -> (%34, %31, %33, %26, %28)
%39 = prim::TupleConstruct(%37, %38)
return (%39))IR");
}

TEST_F(PairControlFlowTest, LoopsCompareTripByTrip) {
  for (const int64_t n_a : {0, 1, 3}) {
    for (const int64_t n_b : {0, 2, 3}) {
      Paired models(kLoop, kOtherLoop, All());
      models.ExpectSameAsAlone({x_, n_a}, {x_, static_cast<double>(n_b)});
      const PairRecord& record = models.Activation("tanh")->record();
      EXPECT_EQ(record.trips.size(), std::min(n_a, n_b));
      EXPECT_EQ(record.pooled.sums.count, 8 * std::min(n_a, n_b));
      EXPECT_EQ(record.pooled.sums.max_abs_error, 0);
      EXPECT_EQ(record.only_x, std::max<int64_t>(n_a - n_b, 0));
      EXPECT_EQ(record.only_y, std::max<int64_t>(n_b - n_a, 0));
    }
  }
}

TEST_F(PairControlFlowTest, NestedControlFlow) {
  const auto source = [](const char* type) {
    return absl::StrCat("def forward(self, x: Tensor, n: ", type,
                        ") -> Tensor:\n",
                        "    trips = int(n)\n"
                        "    for i in range(trips):\n"
                        "        x = torch.sigmoid(x)\n"
                        "        j = 0\n"
                        "        while j < trips - i:\n"
                        "            if (i + j + trips) % 2 == 0:\n"
                        "                x = torch.tanh(x)\n"
                        "            else:\n"
                        "                if j > 1:\n"
                        "                    x = torch.hardtanh(x, 0., 0.5)\n"
                        "                else:\n"
                        "                    x = torch.relu_(x)\n"
                        "            j += 1\n"
                        "    return x\n");
  };
  for (const int64_t n_a : {0, 2, 5}) {
    for (const int64_t n_b : {0, 1, 2, 4, 5}) {
      Paired models(ModelOfSource(source("int")),
                    ModelOfSource(source("float")), All());
      SCOPED_TRACE(absl::StrCat(n_a, " ", n_b));
      models.ExpectSameAsAlone({x_, n_a}, {x_, static_cast<double>(n_b)});
      EXPECT_EQ(models.Activation("sigmoid")->record().only_x,
                std::max<int64_t>(n_a - n_b, 0));
      for (const PairComparers& comparers : models.pair.comparers) {
        const PairRecord& record = comparers.activation->record();
        EXPECT_EQ(n_a == n_b && record.only_x + record.only_y != 0, false);
        EXPECT_EQ(comparers.shadow->record().pooled.sums.max_abs_error, 0);
      }
    }
  }
}

// A prim::If that is one op (its arms tell shapes apart), with a match inside
// as well: its copies are in several blocks, and the shadow goes beside the one
// that the result comes from.
TEST_F(PairControlFlowTest, ShadowsIfsUnlessTheyHoldOtherMatches) {
  constexpr char kShapes[] = R"IR(
graph(%x : Tensor):
  %two : int = prim::Constant[value=2]()
  %dim : int = aten::dim(%x)
  %is_matrix : bool = aten::eq(%dim, %two)
  %y : Tensor = prim::If(%is_matrix)
    block0():
      %a : Tensor = aten::sigmoid(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::sigmoid(%x)
      %n : Tensor = aten::neg(%b)
      -> (%n)
  return (%y))IR";
  const ModelGraph a = ModelOf(kShapes);
  const ModelGraph b = ModelOf(kShapes);
  SubgraphMatch whole;
  whole.name = "whole";
  for (const auto& [model, side] :
       {std::pair(&a, &whole.a), std::pair(&b, &whole.b)}) {
    Node* choice = NodeOf(model->graph(), "prim::If");
    side->subgraph = {
        choice, choice, NodeOf(model->graph(), "aten::sigmoid"), {choice}};
    side->output = choice->output();
  }
  for (const bool has_inner : {false, true}) {
    MatchResult matches;
    if (has_inner) {
      matches = MatchOps(a, b, {"sigmoid"});
    }
    matches.matches.push_back(whole);
    const auto result = PairModels(a, b, matches, All());
    ASSERT_TRUE(result.ok()) << result.status();
    PairedModels pair = *result;
    const PairComparerPtr shadow = pair.comparers.back().shadow;
    if (has_inner) {
      // Its blocks run in step with those of the other model, not as a whole.
      EXPECT_EQ(shadow, nullptr);
      ASSERT_EQ(pair.not_shadowed.size(), 1);
      EXPECT_EQ(pair.not_shadowed[0].name, "whole");
    } else {
      EXPECT_THAT(pair.not_shadowed, IsEmpty());
      ASSERT_NE(shadow, nullptr);
    }
    for (const at::Tensor& x : {x_, x_[0]}) {
      const at::Tensor y = x.dim() == 2 ? x.sigmoid() : -x.sigmoid();
      const PairComparers& comparers = pair.comparers.back();
      for (const PairComparerPtr& comparer : comparers.All()) {
        comparer->Clear();
      }
      OrThrow(pair.model.Run({x}));
      ExpectCompared(comparers.activation, {y}, {y});
      if (shadow != nullptr) {
        ExpectCompared(shadow, {y}, {y});
      }
    }
  }
}

}  // namespace
}  // namespace ns
