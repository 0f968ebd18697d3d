#include "passes/quantization/observe/insert_observers.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "ir/model/run_on_graph.h"
#include "passes/quantization/observe/prepared_model.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

ObserverPlanOptions Everywhere() {
  ObserverPlanOptions options;
  options.mapping.SetGlobal(Int8PerTensorQConfig());
  return options;
}

// Fails the test unless the pass makes `text`, a ShortIr, of a model.
void ExpectObserved(ModelGraph model, absl::string_view text) {
  EXPECT_TRUE(RunPass(InsertObservers(Everywhere()), model).changed);
  ExpectShortIr(model.graph(), text);
  EXPECT_TRUE(IsPrepared(model.module()));
}

// Observers are attributes of a module.
TEST(InsertObserversTest, AGraphWithoutAModuleIsRefused) {
  for (const char* text : {R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::add(%x, %x, %one)
  return (%y))IR",
                           R"IR(
graph():
  %n : int = prim::Constant[value=1]()
  %sizes : int[] = prim::ListConstruct(%n)
  %none : NoneType = prim::Constant()
  %x : Tensor = aten::rand(%sizes, %none, %none, %none, %none)
  %y : Tensor = aten::add(%x, %x, %n)
  return (%y))IR"}) {
    PassContext context;
    const auto run =
        RunOnGraph(InsertObservers(Everywhere()), GraphOf(text), context);
    EXPECT_THAT(MessageOf(run), testing::HasSubstr("has no module"));
  }
}

std::string ErrorOf(const ObserverPlanOptions& options, ModelGraph model) {
  PassContext context;
  return MessageOf(InsertObservers(options).Run(model, context));
}

TEST(InsertObserversTest, HasAName) {
  EXPECT_EQ(InsertObservers(Everywhere()).name(), "insert-observers");
}

TEST(InsertObserversTest, LinearHasObserversAndAMarkedWeight) {
  ExpectObserved(FloatModel({absl::StrCat("return ", LinearOf("x"))}), R"(
%1 = self.ns_observer_0.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_2.forward(%1)
%4 = aten::linear(%3, %2, <Tensor>)
%5 = self.ns_observer_1.forward(%4)
return (%5))");
}

TEST(InsertObserversTest, ConvAndReluAreOneLayer) {
  ExpectObserved(
      FloatModel({absl::StrCat("return torch.relu(", ConvOf("x"), ")")}),
      R"(
%1 = self.ns_observer_0.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_2.forward(%1)
%4 = aten::conv2d(%3, %2, <Tensor>, [1, 1], [1, 1], [1, 1], 1)
%5 = aten::relu(%4)
%6 = self.ns_observer_1.forward(%5)
return (%6))");
}

TEST(InsertObserversTest, AValueHasOneObserverWhoeverUsesIt) {
  ExpectObserved(FloatModel({absl::StrCat("a = ", LinearOf("x"), " * x"),
                             "return a, torch.exp(a), x"}),
                 R"(
%1 = self.ns_observer_0.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_3.forward(%1)
%4 = aten::linear(%3, %2, <Tensor>)
%5 = self.ns_observer_1.forward(%4)
%6 = aten::mul(%5, %1)
%7 = self.ns_observer_2.forward(%6)
%8 = aten::exp(%7)
%9 = prim::TupleConstruct(%7, %8, %0)
return (%9))");
}

TEST(InsertObserversTest, ConstantOperandsAreObserved) {
  ExpectObserved(FloatModel({"return x * self.b + 1.5"}), R"(
%1 = self.ns_observer_0.forward(%0)
%2 = self.ns_observer_1.forward(<Tensor>)
%3 = aten::mul(%1, %2)
%4 = self.ns_observer_2.forward(%3)
%5 = aten::add(%4, 1.5, 1)
%6 = self.ns_observer_3.forward(%5)
return (%6))");
}

TEST(InsertObserversTest, FixedRangesAreThoseOfLibTorch) {
  ModelGraph model = FloatModel({absl::StrCat("a = ", LinearOf("x")),
                                 "return torch.sigmoid(a), torch.tanh(a)"});
  RunPass(InsertObservers(Everywhere()), model);
  ExpectShortIr(model.graph(), R"(
%1 = self.ns_observer_0.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_observer_4.forward(%1)
%4 = aten::linear(%3, %2, <Tensor>)
%5 = self.ns_observer_1.forward(%4)
%6 = aten::sigmoid(%5)
%7 = self.ns_observer_2.forward(%6)
%8 = aten::tanh(%5)
%9 = self.ns_observer_3.forward(%8)
%10 = prim::TupleConstruct(%7, %9)
return (%10))");
  const ObserverConfig sigmoid =
      AttachedObserver(model.module(), ObserverAttribute(2))->config();
  EXPECT_EQ(sigmoid.kind, ObserverKind::kFixedQParams);
  EXPECT_EQ(sigmoid.scale, 1.0 / 256);
  EXPECT_EQ(sigmoid.zero_point, 0);
  const ObserverConfig tanh =
      AttachedObserver(model.module(), ObserverAttribute(3))->config();
  EXPECT_EQ(tanh.scale, 2.0 / 256);
  EXPECT_EQ(tanh.zero_point, 128);
}

TEST(InsertObserversTest, ListsAndTuplesOfOutputsAreKept) {
  ExpectObserved(FloatModel({absl::StrCat("a = ", LinearOf("x[0]")),
                             "return [a, x[1]], (a + x[1], x)"},
                            "x: List[Tensor]"),
                 R"(
%1 = aten::__getitem__(%0, 0)
%2 = self.ns_observer_0.forward(%1)
%3 = ns::observed_weight(<Tensor>, 0)
%4 = self.ns_observer_4.forward(%2)
%5 = aten::linear(%4, %3, <Tensor>)
%6 = self.ns_observer_1.forward(%5)
%7 = aten::__getitem__(%0, 1)
%8 = prim::ListConstruct(%6, %7)
%9 = aten::__getitem__(%0, 1)
%10 = self.ns_observer_2.forward(%9)
%11 = aten::add(%6, %10, 1)
%12 = self.ns_observer_3.forward(%11)
%13 = prim::TupleConstruct(%12, %0)
%14 = prim::TupleConstruct(%8, %13)
return (%14))");
}

TEST(InsertObserversTest, ModelWithoutLayersStaysAndIsPrepared) {
  ModelGraph model = FloatModel({"return torch.exp(x)"});
  EXPECT_FALSE(RunPass(InsertObservers(Everywhere()), model).changed);
  EXPECT_TRUE(IsPrepared(model.module()));
}

TEST(InsertObserversTest, RecordSaysWhatLayersNeed) {
  ModelGraph model = FloatModel(
      {absl::StrCat("return torch.exp(torch.relu(", ConvOf("x"), "))")});
  QuantizationReport known;
  known.layers.emplace_back().name = "embedding";
  known.stayed_float.push_back({"lstm", "aten::lstm", "it has proj_size"});
  NS_EXPECT_OK(
      CarryOutPlan(model, PlanObservers(model.graph(), Everywhere()), known));
  const PreparedModel prepared = OrThrow(AttachedPreparedModel(model.module()));
  ASSERT_EQ(prepared.layers.size(), 1);
  const PreparedLayer& layer = prepared.layers[0];
  EXPECT_EQ(layer.name, "conv2d");
  EXPECT_EQ(layer.op, "aten::conv2d");
  EXPECT_EQ(layer.qconfig, "int8 per tensor");
  EXPECT_EQ(layer.rule, "global");
  EXPECT_THAT(layer.inputs, ElementsAre(0));
  EXPECT_EQ(layer.output, 1);
  EXPECT_EQ(layer.limits.least, 4);
  EXPECT_EQ(layer.weight.at("dtype"), "qint8");
  EXPECT_EQ(prepared.report.layers[0].name, "embedding");
  ASSERT_EQ(prepared.report.stayed_float.size(), 2);
  EXPECT_EQ(prepared.report.stayed_float[0].name, "lstm");
  EXPECT_EQ(prepared.report.stayed_float[1].name, "exp");
}

TEST(InsertObserversTest, FakeQuantizationsStandInTheGraph) {
  ObserverPlanOptions options = Everywhere();
  options.mapping = options.mapping.With([](QConfig qconfig) {
    qconfig.activation.use = ObserverUse::kFakeQuantize;
    return qconfig;
  });
  ModelGraph model = FloatModel({absl::StrCat("return ", LinearOf("x"))});
  RunPass(InsertObservers(options), model);
  EXPECT_TRUE(AttachedObserver(model.module(), ObserverAttribute(0)));
  const at::Tensor x = at::rand({4, 3});
  const at::Tensor y = OrThrow(model.Run({x})).toTensor();
  const at::Tensor plain =
      OrThrow(FloatModel({absl::StrCat("return ", LinearOf("x"))}).Run({x}))
          .toTensor();
  EXPECT_FALSE(y.equal(plain));
  EXPECT_TRUE(y.allclose(plain, 0, 0.05));
}

TEST(InsertObserversTest, PreparedModelStays) {
  ModelGraph model = FloatModel({absl::StrCat("return ", LinearOf("x"))});
  EXPECT_TRUE(RunPass(InsertObservers(Everywhere()), model).changed);
  EXPECT_FALSE(RunPass(InsertObservers(Everywhere()), model).changed);
}

TEST(InsertObserversTest, OpsThatRunOnQuantizedValuesStay) {
  ExpectUntouched(InsertObservers(Everywhere()), R"IR(
graph(%x : Tensor, %s : float, %z : int, %t : int):
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %r : Tensor = aten::relu(%q)
  return (%r))IR",
                  "");
}

TEST(InsertObserversTest, ObserverThatCannotBeMadeIsAnError) {
  ObserverPlanOptions options = Everywhere();
  options.mapping = options.mapping.With([](QConfig qconfig) {
    qconfig.activation.config = DefaultConfig(ObserverKind::kScripted);
    qconfig.activation.path = "/nowhere/observer.pt";
    return qconfig;
  });
  EXPECT_THAT(
      ErrorOf(options, FloatModel({absl::StrCat("return ", LinearOf("x"))})),
      testing::HasSubstr("/nowhere/observer.pt"));
}

}  // namespace
}  // namespace ns
