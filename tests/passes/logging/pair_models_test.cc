#include "passes/logging/pair_models.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model_graph.h"
#include "ir/module_file.h"
#include "passes/matching/graph_matcher.h"
#include "passes/runtime/pair_comparer.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using IValues = std::vector<c10::IValue>;

class PairModelsTest : public testing::Test {
 protected:
  PairModelsTest() {
    at::manual_seed(9);
    x_ = at::randn({2, 4});
  }

  at::Tensor x_;
};

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
%2 = ns::as_float(%0)
%3 = aten::sigmoid(%2)
%4 = aten::sigmoid(%0)
self.ns_comparer_0.compare(%1, %4)
self.ns_comparer_1.compare(%3, %4)
self.ns_comparer_2.compare(%1, %3)
%5 = aten::tanh(%1)
%6 = ns::as_float(%4)
%7 = aten::tanh(%6)
%8 = aten::tanh(%4)
self.ns_comparer_3.compare(%5, %8)
self.ns_comparer_4.compare(%7, %8)
self.ns_comparer_5.compare(%5, %7)
%9 = prim::TupleConstruct(%5, %8)
return (%9))IR");
}

// Of A only the shadows run.
TEST_F(PairModelsTest, ShadowsAloneCompareNoActivations) {
  Paired models(kChain, kChain, Shadows());
  ExpectShortIr(models.pair.model.graph(), R"IR(
%1 = ns::as_float(%0)
%2 = aten::sigmoid(%1)
%3 = aten::sigmoid(%0)
self.ns_comparer_0.compare(%2, %3)
%4 = ns::as_float(%3)
%5 = aten::tanh(%4)
%6 = aten::tanh(%3)
self.ns_comparer_1.compare(%5, %6)
%7 = prim::TupleConstruct(None, %6)
return (%7))IR");
  const auto results = models.Run({x_}, {x_});
  EXPECT_TRUE(results.first.isNone());
  ExpectEqualValues(results.second, x_.sigmoid().tanh());
  EXPECT_EQ(models.Activation("tanh"), nullptr);
  EXPECT_EQ(models.Inherited("tanh"), nullptr);
  ExpectCompared(models.Shadow("tanh"), {x_.sigmoid().tanh()},
                 {x_.sigmoid().tanh()});
}

TEST_F(PairModelsTest, NothingIsComparedUnlessAsked) {
  PairPlan plan;
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
%6 = ns::as_float(%2)
%7 = ns::as_float(%3)
%8 = aten::add(%6, %7, 1)
%9 = aten::relu(%8)
%10 = quantized::add_relu(%2, %3, 0.5, 0)
self.ns_comparer_6.compare(%5, %10)
self.ns_comparer_7.compare(%9, %10)
self.ns_comparer_8.compare(%5, %9)
%11 = aten::dequantize(%10)
%12 = prim::TupleConstruct(%5, %11)
return (%12))IR");
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
  plan.statistics = [](const SubgraphMatch& match) {
    PairComparerOptions options;
    options.in_loop = match.name == "tanh";
    options.channels = ChannelDim::kLast;
    return options;
  };
  Paired models(kChain, kChain, plan);
  models.Run({x_}, {x_});
  for (const PairComparerPtr& comparer :
       {models.Activation("tanh"), models.Shadow("tanh")}) {
    EXPECT_THAT(comparer->record().trips, SizeIs(1));
    EXPECT_THAT(comparer->record().pooled.channels, SizeIs(4));
  }
  // Of what is inherited there are no details.
  EXPECT_THAT(models.Inherited("tanh")->record().pooled.channels, IsEmpty());
  EXPECT_THAT(models.Activation("sigmoid")->record().trips, IsEmpty());
}

TEST_F(PairModelsTest, ChangesNeitherGraph) {
  const Paired models(kFloatAdd, kQuantizedAdd, All());
  EXPECT_EQ(ShortIr(models.a.graph()), ShortIr(ModelOf(kFloatAdd).graph()));
  EXPECT_EQ(ShortIr(models.b.graph()), ShortIr(ModelOf(kQuantizedAdd).graph()));
}

// Inputs.

constexpr char kReads[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%y)
  %r : Tensor = aten::add(%s, %t, %one)
  return (%r))IR";

constexpr char kWritesSecond[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %size : int[] = prim::Constant[value=[-1]]()
  %view : Tensor = aten::view(%y, %size)
  %w : Tensor = aten::neg_(%view)
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%y)
  %r : Tensor = aten::add(%s, %t, %one)
  return (%r))IR";

TEST_F(PairModelsTest, ModelsShareWhatBothOnlyRead) {
  Paired models(kReads, kReads);
  EXPECT_THAT(models.pair.own_inputs_of_b, IsEmpty());
  EXPECT_THAT(models.pair.model.graph().inputs(), SizeIs(3));
}

TEST_F(PairModelsTest, InputsThatOneModelOverwritesAreNotShared) {
  for (const auto& [a, b] :
       {std::pair(kReads, kWritesSecond), std::pair(kWritesSecond, kReads),
        std::pair(kWritesSecond, kWritesSecond)}) {
    Paired models(a, b, All());
    EXPECT_THAT(models.pair.own_inputs_of_b, Contains(1));
    models.ExpectSameAsAlone({x_, x_ * 2});
    models.ExpectSameAsAlone({x_, x_ * 2}, {x_, x_ + 3});
  }
}

TEST_F(PairModelsTest, InputsOfOtherTypesAreNotShared) {
  constexpr char kTakesNumber[] = R"IR(
graph(%x : Tensor, %y : float):
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::sigmoid(%x)
  %r : Tensor = aten::add(%s, %y, %one)
  return (%r))IR";
  Paired models(kReads, kTakesNumber);
  EXPECT_THAT(models.pair.own_inputs_of_b, ElementsAre(1));
  models.ExpectSameAsAlone({x_, x_ * 2}, {x_, 2.5});
}

TEST_F(PairModelsTest, ModelsMayTakeDifferentNumbersOfInputs) {
  constexpr char kOne[] = R"IR(
graph(%x : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%s)
  return (%t))IR";
  Paired fewer_in_a(kOne, kReads, All());
  EXPECT_THAT(fewer_in_a.pair.own_inputs_of_b, ElementsAre(1));
  fewer_in_a.ExpectSameAsAlone({x_}, {x_, x_ * 2});
  Paired fewer_in_b(kReads, kOne, All());
  EXPECT_THAT(fewer_in_b.pair.own_inputs_of_b, IsEmpty());
  fewer_in_b.ExpectSameAsAlone({x_, x_ * 2}, {x_});
}

TEST_F(PairModelsTest, ModelsMayTakeNothing) {
  constexpr char kNothing[] = R"IR(
graph():
  %one : int = prim::Constant[value=1]()
  %x : Tensor = prim::NumToTensor(%one)
  %s : Tensor = aten::sigmoid(%x)
  return (%s))IR";
  Paired models(kNothing, kNothing);
  models.ExpectSameAsAlone({});
  Paired with_other(kNothing, kChain);
  EXPECT_THAT(with_other.pair.own_inputs_of_b, ElementsAre(0));
  with_other.ExpectSameAsAlone({}, {x_});
}

constexpr char kReadsList[] =
    "def forward(self, x: List[Tensor]) -> Tensor:\n"
    "    return torch.sigmoid(x[0]) + torch.tanh(x[1])\n";

TEST_F(PairModelsTest, ListsThatOneModelFillsAreNotShared) {
  Paired models(ModelOfSource("def forward(self, x: List[Tensor]) -> Tensor:\n"
                              "    x.append(x[0])\n"
                              "    return torch.sigmoid(x[0]) + "
                              "torch.tanh(x[len(x) - 1])\n"),
                ModelOfSource(kReadsList), All());
  EXPECT_THAT(models.pair.own_inputs_of_b, ElementsAre(0));
  const c10::IValue list(std::vector<at::Tensor>{x_, x_ * 2});
  models.ExpectSameAsAlone({list});
}

// The list stays as it is, and a tensor in it changes.
TEST_F(PairModelsTest, ListsWhoseElementsOneModelOverwritesAreNotShared) {
  const ModelGraph writes = ModelOfSource(
      "def forward(self, x: List[Tensor]) -> Tensor:\n"
      "    torch.neg_(x[0])\n"
      "    return torch.sigmoid(x[0]) + torch.tanh(x[1])\n");
  const ModelGraph reads = ModelOfSource(kReadsList);
  const c10::IValue list(std::vector<at::Tensor>{x_, x_ * 2});
  for (const bool a_writes : {false, true}) {
    Paired models(OrThrow(a_writes ? writes.Clone() : reads.Clone()),
                  OrThrow(a_writes ? reads.Clone() : writes.Clone()));
    EXPECT_THAT(models.pair.own_inputs_of_b, ElementsAre(0));
    models.ExpectSameAsAlone({list});
  }
}

TEST_F(PairModelsTest, TuplesWhoseElementsOneModelOverwritesAreNotShared) {
  const ModelGraph writes = ModelOfSource(
      "def forward(self, x: Tuple[Tensor, Tensor]) -> Tensor:\n"
      "    torch.neg_(x[0])\n"
      "    return torch.sigmoid(x[0]) + torch.tanh(x[1])\n");
  const ModelGraph reads = ModelOfSource(
      "def forward(self, x: Tuple[Tensor, Tensor]) -> Tensor:\n"
      "    return torch.sigmoid(x[0]) + torch.tanh(x[1])\n");
  const c10::IValue tuple(std::make_tuple(x_, x_ * 2));
  for (const bool a_writes : {false, true}) {
    Paired models(OrThrow(a_writes ? writes.Clone() : reads.Clone()),
                  OrThrow(a_writes ? reads.Clone() : writes.Clone()));
    EXPECT_THAT(models.pair.own_inputs_of_b, ElementsAre(0));
    models.ExpectSameAsAlone({tuple});
  }
}

// Values.

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
%5 = ns::as_float(%0)
%6 = aten::tanh(%5)
%7 = aten::tanh(%0)
self.ns_comparer_0.compare(%4, %7)
self.ns_comparer_1.compare(%6, %7)
self.ns_comparer_2.compare(%4, %6)
%8 = aten::exp_(%7)
%9 = ns::as_float(%0)
%10 = aten::sigmoid(%9)
%11 = aten::sigmoid(%0)
self.ns_comparer_3.compare(%2, %11)
self.ns_comparer_4.compare(%10, %11)
self.ns_comparer_5.compare(%2, %10)
%12 = aten::sub_(%3, %4, 1)
%13 = aten::sub_(%11, %8, 1)
%14 = prim::TupleConstruct(%12, %13)
return (%14))IR");
}

// Modules.

torch::jit::Module SmallModel(double scale, const std::string& op) {
  return MakeModel(
      {{"block", MakeModule("Block",
                            "def forward(self, x: Tensor) -> Tensor:\n"
                            "    return torch." +
                                op + "(x * self.scale)\n",
                            {{"scale", scale}})}},
      {"x = self.block.forward(torch.sigmoid(x))",
       "return self.block.forward(x)"});
}

TEST_F(PairModelsTest, ClassesMayHaveTheSameName) {
  Paired models(ModelOfModule(SmallModel(2, "tanh"), {"Block"}),
                ModelOfModule(SmallModel(3, "relu"), {"Block"}), All());
  models.ExpectSameAsAlone({x_});
  const at::Tensor s = x_.sigmoid();
  ExpectCompared(models.Activation("block"), {(s * 2).tanh()},
                 {(s * 3).relu()});
  ExpectCompared(models.Shadow("block"), {(s * 2).tanh()}, {(s * 3).relu()});
}

TEST_F(PairModelsTest, SavedPairRunsAndHasItsComparers) {
  for (const bool leaves : {false, true}) {
    const std::vector<std::string> names =
        leaves ? std::vector<std::string>{"Block"} : std::vector<std::string>();
    Paired models(ModelOfModule(SmallModel(2, "tanh"), names),
                  ModelOfModule(SmallModel(3, "tanh"), names), All());
    const auto expected = models.Run({x_}, {x_});
    const std::string path = TemporaryPath(absl::StrCat("pair", leaves, ".pt"));
    NS_ASSERT_OK(models.pair.model.Save(path));
    torch::jit::Module loaded = OrThrow(LoadModule(path));
    const c10::IValue results = loaded.forward(models.Arguments({x_}, {x_}));
    ExpectEqualValues(results.toTupleRef().elements()[0], expected.first);
    ExpectEqualValues(results.toTupleRef().elements()[1], expected.second);
    const auto comparer =
        loaded.attr("ns_comparer_0").toCustomClass<PairComparer>();
    comparer->EndBatch();
    EXPECT_THAT(comparer->record().batches, SizeIs(2));
  }
}

TEST_F(PairModelsTest, SavedPairOfQuantizedModelRuns) {
  const at::Tensor weight = at::randn({4, 3, 3, 3});
  for (const bool exact : {false, true}) {
    PairPlan plan = All();
    plan.exact = exact;
    Paired models(
        ModelOfModule(MakeModel(
            {{"conv", Conv2d(weight)}, {"relu", Relu()}},
            {"x = self.conv.forward(x)", "return self.relu.forward(x)"})),
        ModelOfModule(
            MakeModel({{"quant", Quantize()},
                       {"conv", QuantizedConv2d(weight, true)},
                       {"dequant", DeQuantize()}},
                      {"x = self.quant.forward(x)", "x = self.conv.forward(x)",
                       "return self.dequant.forward(x)"})),
        plan);
    const at::Tensor x = at::randn({2, 3, 8, 8});
    const auto expected = models.Run({x}, {x});
    const std::string path = TemporaryPath(absl::StrCat("conv", exact, ".pt"));
    NS_ASSERT_OK(models.pair.model.Save(path));
    torch::jit::Module loaded = OrThrow(LoadModule(path));
    const c10::IValue results = loaded.forward({x});
    EXPECT_TRUE(results.toTupleRef().elements()[0].toTensor().allclose(
        expected.first.toTensor(), 1e-4, 1e-5));
    ExpectEqualValues(results.toTupleRef().elements()[1], expected.second);
  }
}

// A model that counts its runs and adds up what it computes.
ModelGraph CountingModel(int64_t start) {
  return ModelOfSource(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    self.n += 1\n"
      "    self.sum = self.sum + torch.sigmoid(x)\n"
      "    return self.sum * self.n\n",
      {{"n", start}, {"sum", at::zeros({2, 4})}});
}

TEST_F(PairModelsTest, EachModelHasItsState) {
  Paired models(CountingModel(1), CountingModel(10), All());
  const auto first = models.Run({x_}, {x_});
  const at::Tensor s = x_.sigmoid();
  ExpectEqualValues(first.first, s * 2);
  ExpectEqualValues(first.second, s * 11);
  const auto second = models.Run({x_}, {x_});
  ExpectEqualValues(second.first, (s + s) * 3);
  ExpectEqualValues(second.second, (s + s) * 12);
}

TEST_F(PairModelsTest, AttributesThatAModelWritesAreSharedWithIt) {
  Paired models(CountingModel(1), CountingModel(10), All());
  models.Run({x_}, {x_});
  EXPECT_EQ(models.a.module().attr("n").toInt(), 2);
  EXPECT_EQ(models.b.module().attr("n").toInt(), 11);
}

// Fusion.

class FusedPairTest : public PairModelsTest {
 protected:
  FusedPairTest()
      : conv_(at::randn({3, 3, 3, 3})), image_(at::randn({2, 3, 8, 8})) {}

  // The second convolution has no quantized counterpart.
  Paired Models(const PairPlan& plan) const {
    return Paired(ModelOfModule(MakeModel(
                      {{"conv", Conv2d(conv_)},
                       {"bn", BatchNorm2d(3)},
                       {"relu", Relu()},
                       {"last", Conv2d(conv_)}},
                      {"x = self.bn.forward(self.conv.forward(x))",
                       "return self.last.forward(self.relu.forward(x))"})),
                  ModelOfModule(MakeModel(
                      {{"quant", Quantize()},
                       {"conv", QuantizedConv2d(conv_, true)},
                       {"dequant", DeQuantize()},
                       {"last", Conv2d(conv_)}},
                      {"x = self.conv.forward(self.quant.forward(x))",
                       "return self.last.forward(self.dequant.forward(x))"})),
                  plan);
  }

  at::Tensor conv_;
  at::Tensor image_;
};

TEST_F(FusedPairTest, ExactPlanFusesNothing) {
  Paired models = Models(All());
  EXPECT_THAT(NodesOf(models.pair.model.graph(), "aten::conv2d"), SizeIs(5));
  models.ExpectSameAsAlone({image_});
}

TEST_F(FusedPairTest, FusesWhatBHasInQuantizedForm) {
  Paired exact = Models(All());
  PairPlan plan = All();
  plan.exact = false;
  Paired models = Models(plan);
  // A's and its shadow; not those that are float in both.
  EXPECT_THAT(NodesOf(models.pair.model.graph(), "aten::conv2d"), SizeIs(3));
  EXPECT_THAT(NodesOf(models.pair.model.graph(), "aten::batch_norm"),
              IsEmpty());
  const auto expected = exact.Run({image_}, {image_});
  const auto actual = models.Run({image_}, {image_});
  const at::Tensor error = actual.first.toTensor() - expected.first.toTensor();
  EXPECT_LT(error.norm().item<double>(),
            1e-4 * expected.first.toTensor().norm().item<double>());
  ExpectEqualValues(actual.second, expected.second);
  for (size_t i = 0; i < models.matches.matches.size(); ++i) {
    const double sqnr =
        exact.pair.comparers[i].activation->record().pooled.sums.SqnrDb();
    EXPECT_NEAR(
        models.pair.comparers[i].activation->record().pooled.sums.SqnrDb(),
        sqnr, sqnr > 60 ? 60 : 0.01)
        << models.matches.matches[i].name;
  }
}

TEST_F(FusedPairTest, LeavesTheFloatModelAlone) {
  PairPlan plan = All();
  plan.exact = false;
  Paired models = Models(plan);
  EXPECT_THAT(NodesOf(models.a.graph(), "aten::conv2d"), SizeIs(2));
  EXPECT_THAT(NodesOf(models.a.graph(), "aten::batch_norm"), SizeIs(1));
}

// Memory.

// How many values of ns_test::watch live when it is called.
class Watch {
 public:
  static at::Tensor Run(const at::Tensor& x) {
    at::Tensor y = x.clone();
    auto& watched = Watched();
    watched.erase(
        std::remove_if(watched.begin(), watched.end(),
                       [](const Weak& weak) { return weak.expired(); }),
        watched.end());
    watched.emplace_back(y.getIntrusivePtr());
    Most() = std::max(Most(), watched.size());
    return y;
  }
  static size_t& Most() {
    static size_t most = 0;
    return most;
  }

 private:
  using Weak =
      c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
  static std::vector<Weak>& Watched() {
    static auto* const kWatched = new std::vector<Weak>;
    return *kWatched;
  }
};

const torch::jit::RegisterOperators kWatch({torch::jit::Operator(
    "ns_test::watch(Tensor x) -> Tensor",
    [](torch::jit::Stack& stack) {
      stack.back() = Watch::Run(stack.back().toTensor());
    },
    c10::AliasAnalysisKind::FROM_SCHEMA)});

TEST_F(PairModelsTest, ValuesDieEarly) {
  std::string text = "graph(%x0 : Tensor):\n";
  constexpr int kLayers = 30;
  for (int i = 0; i < kLayers; ++i) {
    absl::StrAppend(&text, "  %w", i, " : Tensor = ns_test::watch(%x", i,
                    ")\n  %x", i + 1, " : Tensor = aten::sigmoid(%w", i, ")\n");
  }
  absl::StrAppend(&text, "  return (%x", kLayers, ")");
  for (const PairPlan& plan : {Activations(), All()}) {
    Paired models(text, text, plan);
    ASSERT_THAT(models.matches.matches, SizeIs(2 * kLayers));
    Watch::Most() = 0;
    models.Run({x_}, {x_});
    // One of each model, and a shadow.
    EXPECT_LE(Watch::Most(), plan.shadows ? 3 : 2);
  }
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
      EXPECT_EQ(comparers.shadow->record().pooled.codes.Total(),
                activations ? 0 : 12);
      if (activations) {
        EXPECT_EQ(comparers.activation->record().pooled.codes.Total(), 12);
      }
    }
  }
}

}  // namespace
}  // namespace ns
