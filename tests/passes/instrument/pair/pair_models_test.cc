#include "passes/instrument/pair/pair_models.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/matching/graph_matcher.h"
#include "passes/runtime/loggers/pair_comparer.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using IValues = std::vector<c10::IValue>;

constexpr char kChain[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::tanh(%a)
  return (%b))IR";

TEST_F(PairModelsTest, ComparesAsValuesComeBy) {
  Paired models(kChain, kChain);
  EXPECT_THAT(models.pair.own_inputs_of_b, IsEmpty());
  ExpectShortIr(models.pair.model.graph(), R"IR(
%1 = aten::sigmoid(%0)
%2 = aten::sigmoid(%0)
self.ns_comparer_0.compare(%1, %2)
%3 = aten::tanh(%1)
%4 = aten::tanh(%2)
self.ns_comparer_1.compare(%3, %4)
%5 = prim::TupleConstruct(%3, %4)
return (%5))IR");
}

TEST_F(PairModelsTest, ShadowsRunBesideBothModels) {
  Paired models(kChain, kChain, All());
  ExpectShortIr(models.pair.model.graph(), R"IR(
%1 = aten::sigmoid(%0)
%2, %3 = ns::run_shadow(self.ns_shadow_guard_0, self, "ns_shadow_0", 1, %0)
%4 = aten::__getitem__(%3, 0)
%5 = aten::sigmoid(%0)
self.ns_comparer_0.compare(%1, %5)
prim::If(%2)
  then:
    self.ns_comparer_1.compare(%4, %5)
    self.ns_comparer_2.compare(%1, %4)
    -> ()
  else:
    -> ()
%6 = aten::tanh(%1)
%7, %8 = ns::run_shadow(self.ns_shadow_guard_1, self, "ns_shadow_1", 1, %5)
%9 = aten::__getitem__(%8, 0)
%10 = aten::tanh(%5)
self.ns_comparer_3.compare(%6, %10)
prim::If(%7)
  then:
    self.ns_comparer_4.compare(%9, %10)
    self.ns_comparer_5.compare(%6, %9)
    -> ()
  else:
    -> ()
%11 = prim::TupleConstruct(%6, %10)
return (%11))IR");
}

// Of A only the shadows run.
TEST_F(PairModelsTest, ShadowsAloneCompareNoActivations) {
  Paired models(kChain, kChain, Shadows());
  ExpectShortIr(models.pair.model.graph(), R"IR(
%1, %2 = ns::run_shadow(self.ns_shadow_guard_0, self, "ns_shadow_0", 1, %0)
%3 = aten::__getitem__(%2, 0)
%4 = aten::sigmoid(%0)
prim::If(%1)
  then:
    self.ns_comparer_0.compare(%3, %4)
    -> ()
  else:
    -> ()
%5, %6 = ns::run_shadow(self.ns_shadow_guard_1, self, "ns_shadow_1", 1, %4)
%7 = aten::__getitem__(%6, 0)
%8 = aten::tanh(%4)
prim::If(%5)
  then:
    self.ns_comparer_1.compare(%7, %8)
    -> ()
  else:
    -> ()
%9 = prim::TupleConstruct(None, %8)
return (%9))IR");
  const auto results = models.Run({x_}, {x_});
  EXPECT_TRUE(results.first.isNone());
  ExpectEqualValues(results.second, x_.sigmoid().tanh());
  EXPECT_EQ(models.Activation("tanh"), nullptr);
  EXPECT_EQ(models.Inherited("tanh"), nullptr);
  ExpectCompared(models.Shadow("tanh"), {x_.sigmoid().tanh()},
                 {x_.sigmoid().tanh()});
}

// The shadow of the split gets twice as many rows as its sizes tell.
TEST_F(PairModelsTest, ShadowThatFailsIsLeftOutOfTheRun) {
  Paired models(
      ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                    "    y = torch.sigmoid(x)\n"
                    "    z = torch.split_with_sizes(y, [1, 1])[0]\n"
                    "    return torch.tanh(z)\n"),
      ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                    "    y = torch.cat([torch.sigmoid(x), torch.sigmoid(x)])\n"
                    "    z = torch.split_with_sizes(y, [1, 3])[0]\n"
                    "    return torch.tanh(z)\n"),
      All());
  models.ExpectSameAsAlone({x_});
  models.ExpectSameAsAlone({x_});
  const PairComparers& split = models.At("split_with_sizes");
  EXPECT_THAT(split.guard->reason(),
              StartsWith("its float subgraph fails on values of the quantized "
                         "model: split_with_sizes"));
  EXPECT_EQ(split.guard->layer(), "split_with_sizes");
  EXPECT_EQ(split.shadow->record().pooled.sums.count, 0);
  EXPECT_EQ(split.inherited->record().pooled.sums.count, 0);
  EXPECT_EQ(split.activation->record().pooled.sums.count, 8);
  // The others go on.
  EXPECT_EQ(models.At("tanh").guard->reason(), "");
  EXPECT_EQ(models.Shadow("tanh")->record().pooled.sums.count, 8);
}

TEST_F(PairModelsTest, NothingIsComparedUnlessAsked) {
  PairPlan plan = Activations();
  plan.activations = false;
  Paired models(kChain, kChain, plan);
  ExpectEqualValues(models.Run({x_}, {x_}).second, x_.sigmoid().tanh());
  for (const PairComparers& comparers : models.pair.comparers) {
    EXPECT_THAT(comparers.All(), IsEmpty());
  }
  EXPECT_THAT(NodesOf(models.pair.model.graph(), "prim::CallMethod"),
              IsEmpty());
}

TEST_F(PairModelsTest, ModelsWithoutMatchesRun) {
  Paired models("graph(%x : Tensor):\n  return (%x)", kChain);
  EXPECT_THAT(models.pair.comparers, IsEmpty());
  models.ExpectSameAsAlone({x_});
}

TEST_F(PairModelsTest, ModelIsPairedWithItself) {
  const ModelGraph model = ModelOf(kChain);
  const MatchResult matches = OrThrow(MatchSubgraphs(model, model));
  PairedModels pair = OrThrow(PairModels(model, model, matches, All()));
  const c10::IValue results = OrThrow(pair.model.Run({x_}));
  ExpectEqualValues(results.toTupleRef().elements()[0], x_.sigmoid().tanh());
  ExpectEqualValues(results.toTupleRef().elements()[1], x_.sigmoid().tanh());
  EXPECT_EQ(pair.comparers[1].activation->record().pooled.sums.count, 8);
}

constexpr char kFloatAdd[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::add(%x, %y, %one)
  %r : Tensor = aten::relu(%s)
  return (%r))IR";

constexpr char kQuantizedAdd[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=0]()
  %dtype : int = prim::Constant[value=13]()
  %p : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %q : Tensor = aten::quantize_per_tensor(%y, %scale, %zero_point, %dtype)
  %s : Tensor = quantized::add_relu(%p, %q, %scale, %zero_point)
  %d : Tensor = aten::dequantize(%s)
  return (%d))IR";

TEST_F(PairModelsTest, QuantizePointsAndShadowsOfQuantizedOps) {
  Paired models(kFloatAdd, kQuantizedAdd, All());
  ExpectShortIr(models.pair.model.graph(), R"IR(
%2 = aten::quantize_per_tensor(%0, 0.5, 0, 13)
self.ns_comparer_0.compare(%0, %2)
self.ns_comparer_1.compare(%0, %2)
self.ns_comparer_2.compare(%0, %0)
%3 = aten::quantize_per_tensor(%1, 0.5, 0, 13)
self.ns_comparer_3.compare(%1, %3)
self.ns_comparer_4.compare(%1, %3)
self.ns_comparer_5.compare(%1, %1)
%4 = aten::add(%0, %1, 1)
%5 = aten::relu(%4)
%6, %7 = ns::run_shadow(self.ns_shadow_guard_0, self, "ns_shadow_0", 1, %2, %3)
%8 = aten::__getitem__(%7, 0)
%9 = quantized::add_relu(%2, %3, 0.5, 0)
self.ns_comparer_6.compare(%5, %9)
prim::If(%6)
  then:
    self.ns_comparer_7.compare(%8, %9)
    self.ns_comparer_8.compare(%5, %8)
    -> ()
  else:
    -> ()
%10 = aten::dequantize(%9)
%11 = prim::TupleConstruct(%5, %10)
return (%11))IR");
  const at::Tensor y = at::randn({2, 4});
  models.ExpectSameAsAlone({x_, y});
  const auto quantized = [](const at::Tensor& value) {
    return at::quantize_per_tensor(value, 0.5, 0, at::kQUInt8);
  };
  const at::Tensor p = quantized(x_);
  const at::Tensor q = quantized(y);
  ExpectCompared(models.Activation("x.quantize"), {x_}, {p});
  ExpectCompared(models.Shadow("x.quantize"), {x_}, {p});
  ExpectCompared(models.Inherited("x.quantize"), {x_}, {x_});
  const at::Tensor shadow = (p.dequantize() + q.dequantize()).relu();
  const at::Tensor float_sum = (x_ + y).relu();
  const at::Tensor sum = quantized(shadow);
  ExpectCompared(models.Activation("add_relu"), {float_sum}, {sum});
  ExpectCompared(models.Shadow("add_relu"), {shadow}, {sum});
  ExpectCompared(models.Inherited("add_relu"), {float_sum}, {shadow});
}

TEST_F(PairModelsTest, SecondBatchAddsUp) {
  Paired models(kFloatAdd, kQuantizedAdd, All());
  models.ExpectSameAsAlone({x_, x_});
  models.ExpectSameAsAlone({x_ + 1, x_ * 2});
  EXPECT_THAT(models.Activation("add_relu")->record().batches, SizeIs(2));
  EXPECT_EQ(models.Shadow("add_relu")->record().pooled.sums.count, 16);
}

TEST_F(PairModelsTest, ModelsMayChangePlaces) {
  Paired models(kQuantizedAdd, kFloatAdd, All());
  models.ExpectSameAsAlone({x_, x_});
  EXPECT_THAT(
      models.Activation(models.matches.matches.back().name)->record().batches,
      SizeIs(1));
}

TEST_F(PairModelsTest, TellsWhatCannotBeShadowed) {
  constexpr char kQuantizedInput[] = R"IR(
graph(%x : Tensor, %scale : float):
  %zero_point : int = prim::Constant[value=7]()
  %dtype : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %s : Tensor = aten::sigmoid(%q)
  %d : Tensor = aten::dequantize(%s)
  return (%d))IR";
  constexpr char kFloat[] = R"IR(
graph(%x : Tensor, %scale : float):
  %s : Tensor = aten::sigmoid(%x)
  return (%s))IR";
  Paired models(kQuantizedInput, kFloat, All());
  ASSERT_THAT(models.pair.not_shadowed, SizeIs(1));
  EXPECT_EQ(models.pair.not_shadowed[0].name, "sigmoid");
  EXPECT_THAT(models.pair.not_shadowed[0].reason,
              HasSubstr("scale and zero point of its input"));
  EXPECT_EQ(models.Shadow("sigmoid"), nullptr);
  EXPECT_EQ(models.Inherited("sigmoid"), nullptr);
  models.ExpectSameAsAlone({x_, 0.1});
  EXPECT_NE(models.Activation("sigmoid"), nullptr);
}

TEST_F(PairModelsTest, GivesComparersWhatThePlanSays) {
  PairPlan plan = All();
  plan.channels = true;
  plan.outliers = true;
  Paired models(kChain, kChain, plan);
  models.Run({x_}, {x_});
  for (const PairComparerPtr& comparer :
       {models.Activation("tanh"), models.Shadow("tanh")}) {
    EXPECT_THAT(comparer->record().pooled.channels, SizeIs(4));
    EXPECT_EQ(comparer->record().pooled.errors.total(), 8);
  }
  // Of what is inherited there are no details.
  EXPECT_THAT(models.Inherited("tanh")->record().pooled.channels, IsEmpty());
  EXPECT_EQ(models.Inherited("tanh")->record().pooled.errors.total(), 0);
}

// The channels of a single image come first, those of a batch second.
TEST_F(PairModelsTest, AnImageWithoutABatchHasItsChannelsFirst) {
  const std::string conv = R"IR(
graph(%x : Tensor, %weight : Tensor):
  %none : NoneType = prim::Constant()
  %one : int = prim::Constant[value=1]()
  %zero : int = prim::Constant[value=0]()
  %ones : int[] = prim::ListConstruct(%one, %one)
  %zeros : int[] = prim::ListConstruct(%zero, %zero)
  %c : Tensor = aten::conv2d(%x, %weight, %none, %ones, %zeros, %ones, %one)
  return (%c))IR";
  PairPlan plan = Activations();
  plan.channels = true;
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{3, 6, 7}, {2, 3, 6, 7}}) {
    Paired models(conv, conv, plan);
    const at::Tensor image = at::randn(sizes);
    const at::Tensor weight = at::randn({5, 3, 1, 1});
    models.Run({image, weight}, {image, weight + 0.1});
    EXPECT_THAT(models.Activation("conv2d")->record().pooled.channels,
                SizeIs(5));
  }
}

TEST_F(PairModelsTest, ChangesNeitherGraph) {
  const Paired models(kFloatAdd, kQuantizedAdd, All());
  EXPECT_EQ(ShortIr(models.a.graph()), ShortIr(ModelOf(kFloatAdd).graph()));
  EXPECT_EQ(ShortIr(models.b.graph()), ShortIr(ModelOf(kQuantizedAdd).graph()));
}

TEST_F(PairModelsTest, OpsThatWorkInPlaceOverwriteNothingOfTheOther) {
  constexpr char kInPlace[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::tanh_(%a)
  %c : Tensor = aten::relu_(%b)
  return (%c))IR";
  constexpr char kPlain[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::tanh(%a)
  %c : Tensor = aten::relu(%b)
  return (%c))IR";
  for (const auto& [a, b] :
       {std::pair(kInPlace, kPlain), std::pair(kPlain, kInPlace),
        std::pair(kInPlace, kInPlace)}) {
    Paired models(a, b, All());
    models.ExpectSameAsAlone({x_});
    const at::Tensor s = x_.sigmoid();
    ExpectCompared(models.Activation("sigmoid"), {s}, {s});
    ExpectCompared(models.Activation("tanh"), {s.tanh()}, {s.tanh()});
    ExpectCompared(models.Inherited("relu"), {s.tanh()}, {s.tanh()});
  }
}

TEST_F(PairModelsTest, InputThatIsReturnedStaysWhatItIs) {
  constexpr char kReturnsInput[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sigmoid(%x)
  %t : (Tensor, Tensor) = prim::TupleConstruct(%x, %a)
  return (%t))IR";
  constexpr char kOverwrites[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sigmoid_(%x)
  %t : (Tensor, Tensor) = prim::TupleConstruct(%x, %a)
  return (%t))IR";
  Paired models(kReturnsInput, kOverwrites, All());
  models.ExpectSameAsAlone({x_});
}

TEST_F(PairModelsTest, ComparesFirstOutputOfLstm) {
  constexpr char kLstm[] = R"IR(
graph(%x : Tensor, %h : Tensor, %c : Tensor, %w : Tensor, %r : Tensor):
  %no : bool = prim::Constant[value=0]()
  %zero : float = prim::Constant[value=0.]()
  %one : int = prim::Constant[value=1]()
  %state : Tensor[] = prim::ListConstruct(%h, %c)
  %weights : Tensor[] = prim::ListConstruct(%w, %r)
  %y : Tensor, %hn : Tensor, %cn : Tensor = aten::lstm(%x, %state, %weights, %no, %one, %zero, %no, %no, %no)
  %t : (Tensor, (Tensor, Tensor)) = prim::TupleConstruct(%y, %hn)
  return (%y))IR";
  Paired models(kLstm, kLstm, All());
  const IValues inputs = {at::randn({5, 1, 2}), at::randn({1, 1, 3}),
                          at::randn({1, 1, 3}), at::randn({12, 2}),
                          at::randn({12, 3})};
  models.ExpectSameAsAlone(inputs);
  const at::Tensor y = models.Run(inputs, inputs).first.toTensor();
  EXPECT_EQ(models.Activation("lstm")->record().shape, y.sizes().vec());
  ExpectCompared(models.Shadow("lstm"), {y, y}, {y, y});
}

TEST_F(PairModelsTest, ComparesFirstTensorOfWhatAModuleReturns) {
  const torch::jit::Module block = MakeModule(
      "Block",
      "def forward(self, x: Tensor) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:\n"
      "    return torch.sigmoid(x), (x, x)\n");
  const auto model = [&] {
    return ModelOfModule(
        MakeModel({{"block", block}},
                  {"y, s = self.block.forward(x)", "return s[0] + y"}),
        {"Block"});
  };
  Paired models(model(), model(), All());
  models.ExpectSameAsAlone({x_});
  ExpectCompared(models.Activation("block"), {x_.sigmoid()}, {x_.sigmoid()});
  ExpectCompared(models.Shadow("block"), {x_.sigmoid()}, {x_.sigmoid()});
}

TEST_F(PairModelsTest, ReturnsTuplesListsAndNumbers) {
  Paired models(ModelOfSource("def forward(self, x: Tensor):\n"
                              "    y = torch.sigmoid(x)\n"
                              "    return [y, x], y, 3\n"),
                ModelOfSource("def forward(self, x: Tensor):\n"
                              "    return torch.sigmoid(x).sum().item()\n"));
  models.ExpectSameAsAlone({x_});
}

// Matches in another order than that of A: it runs on, and its values wait,
// whatever overwrites them.
TEST_F(PairModelsTest, MatchesMayCross) {
  constexpr char kSigmoidFirst[] = R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::sigmoid(%x)
  %n : Tensor = aten::neg_(%s)
  %t : Tensor = aten::tanh(%x)
  %u : Tensor = aten::sub_(%n, %t, %one)
  return (%u))IR";
  constexpr char kTanhFirst[] = R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %t : Tensor = aten::tanh(%x)
  %n : Tensor = aten::exp_(%t)
  %s : Tensor = aten::sigmoid(%x)
  %u : Tensor = aten::sub_(%s, %n, %one)
  return (%u))IR";
  Paired models(kSigmoidFirst, kTanhFirst, All(), {"tanh", "sigmoid"});
  Paired others(kTanhFirst, kSigmoidFirst, All(), {"sigmoid", "tanh"});
  for (Paired* either : {&models, &others}) {
    either->ExpectSameAsAlone({x_});
    for (const auto& of :
         {&Paired::Activation, &Paired::Shadow, &Paired::Inherited}) {
      ExpectCompared((either->*of)("tanh"), {x_.tanh()}, {x_.tanh()});
      ExpectCompared((either->*of)("sigmoid"), {x_.sigmoid()}, {x_.sigmoid()});
    }
  }
  ExpectShortIr(models.pair.model.graph(), R"IR(
%1 = aten::sigmoid(%0)
%2 = aten::clone(%1, None)
%3 = aten::neg_(%1)
%4 = aten::tanh(%0)
%5, %6 = ns::run_shadow(self.ns_shadow_guard_0, self, "ns_shadow_0", 1, %0)
%7 = aten::__getitem__(%6, 0)
%8 = aten::tanh(%0)
self.ns_comparer_0.compare(%4, %8)
prim::If(%5)
  then:
    self.ns_comparer_1.compare(%7, %8)
    self.ns_comparer_2.compare(%4, %7)
    -> ()
  else:
    -> ()
%9 = aten::exp_(%8)
%10, %11 = ns::run_shadow(self.ns_shadow_guard_1, self, "ns_shadow_1", 1, %0)
%12 = aten::__getitem__(%11, 0)
%13 = aten::sigmoid(%0)
self.ns_comparer_3.compare(%2, %13)
prim::If(%10)
  then:
    self.ns_comparer_4.compare(%12, %13)
    self.ns_comparer_5.compare(%2, %12)
    -> ()
  else:
    -> ()
%14 = aten::sub_(%3, %4, 1)
%15 = aten::sub_(%13, %9, 1)
%16 = prim::TupleConstruct(%14, %15)
return (%16))IR");
}

TEST(PairModelsCodesTest, CountsCodesOfOneValueOnce) {
  const ModelGraph a = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.1]()
  %zero_point : int = prim::Constant[value=10]()
  %dtype : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %y : Tensor = aten::relu(%q)
  return (%y))IR");
  for (const bool activations : {true, false}) {
    PairPlan plan;
    plan.activations = activations;
    plan.shadows = true;
    PairedModels pair =
        OrThrow(PairModels(a, b, OrThrow(MatchSubgraphs(a, b)), plan));
    OrThrow(pair.model.Run({at::rand({3, 4})}));
    for (const PairComparers& comparers : pair.comparers) {
      ASSERT_NE(comparers.shadow, nullptr);
      EXPECT_EQ(comparers.shadow->record().pooled.codes.total,
                activations ? 0 : 12);
      if (activations) {
        EXPECT_EQ(comparers.activation->record().pooled.codes.total, 12);
      }
    }
  }
}

}  // namespace
}  // namespace ns
