#include "ns/n_shadows/prepare_n_shadows_add_loggers_model.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/n_shadows/n_shadows_results.h"
#include "passes/instrument/logger_switches.h"
#include "passes/runtime/observers/fake_quantize_weight.h"
#include "passes/runtime/observers/values/qparams.h"
#include "tests/testing/engines.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const QConfig kInt8 = Int8PerTensorQConfig();

at::Tensor FakeQuantize(const at::Tensor& x, const at::Tensor& observed) {
  const QParams qparams =
      ChooseQParams(observed.min().item<float>(), observed.max().item<float>(),
                    0, 255, /*symmetric=*/false);
  return at::dequantize(at::quantize_per_tensor(
      x, qparams.scale, qparams.zero_point, at::kQUInt8));
}

at::Tensor QuantizedWeight(const at::Tensor& weight) {
  return FakeQuantizeWeight(weight, kInt8.weight.config);
}

// What `model` is once it is prepared, calibrated on `x`, converted, and run on
// `x`; its output is checked against the plain model's.
NShadowsResults Measure(const ModelGraph& model, const QConfigMapping& mapping,
                        const at::Tensor& x) {
  NShadowsModel prepared =
      OrThrow(PrepareNShadowsAddLoggersModel(model, mapping));
  torch::jit::Module& module = prepared.model.module();
  ModelGraph plain = OrThrow(model.Clone());
  const at::Tensor expected = OrThrow(plain.Run({x.clone()})).toTensor();
  EXPECT_TRUE(
      OrThrow(prepared.model.Run({x.clone()})).toTensor().equal(expected));
  NS_EXPECT_OK(ConvertNShadowsModel(module));
  NS_EXPECT_OK(LoggersSetEnabled(module, true));
  NS_EXPECT_OK(LoggersSetSaveActivations(module, true));
  EXPECT_TRUE(
      OrThrow(prepared.model.Run({x.clone()})).toTensor().equal(expected));
  return OrThrow(ExtractResultsNShadowsModel(module));
}

// What the quantized path made of the last subgraph.
at::Tensor LastValue(const NShadowsResults& results) {
  return results.subgraphs.back().candidates.at(0).values.at(0);
}

std::vector<std::string> QConfigsOf(const NShadowsResults& results) {
  std::vector<std::string> names;
  for (const ShadowedSubgraph& subgraph : results.subgraphs) {
    names.push_back(subgraph.candidates.at(0).qconfig);
  }
  return names;
}

class AddLoggersModelTest : public EngineTest {
 protected:
  ModelGraph TwoLinears() const {
    return OrThrow(ModelGraph::FromModule(
        MakeModel({{"a", Linear(wa_)}, {"b", Linear(wb_)}},
                  {"return self.b.forward(self.a.forward(x))"})));
  }
  at::Tensor A(const at::Tensor& x) const { return at::linear(x, wa_); }
  at::Tensor B(const at::Tensor& x) const { return at::linear(x, wb_); }
  at::Tensor QuantizedA(const at::Tensor& x) const {
    return FakeQuantize(at::linear(FakeQuantize(x, x_), QuantizedWeight(wa_)),
                        A(x_));
  }
  at::Tensor QuantizedB(const at::Tensor& x) const {
    return FakeQuantize(
        at::linear(FakeQuantize(x, A(x_)), QuantizedWeight(wb_)), B(A(x_)));
  }
  void ExpectLast(const QConfigMapping& mapping, const at::Tensor& expected) {
    const at::Tensor last = LastValue(Measure(TwoLinears(), mapping, x_));
    EXPECT_TRUE(last.allclose(expected, 1e-5, 1e-6)) << last - expected;
  }

  const at::Tensor wa_ = at::randn({4, 3});
  const at::Tensor wb_ = at::randn({5, 4});
  const at::Tensor x_ = at::randn({6, 3});
};

TEST_P(AddLoggersModelTest, QuantizedAfterQuantized) {
  ExpectLast(QConfigMapping().SetGlobal(kInt8), QuantizedB(QuantizedA(x_)));
}

TEST_P(AddLoggersModelTest, QuantizedAfterFloat) {
  ExpectLast(QConfigMapping().SetGlobal(kInt8).SetModuleName("a", std::nullopt),
             QuantizedB(A(x_)));
}

TEST_P(AddLoggersModelTest, FloatAfterQuantized) {
  ExpectLast(QConfigMapping().SetGlobal(kInt8).SetModuleName("b", std::nullopt),
             B(QuantizedA(x_)));
}

TEST_P(AddLoggersModelTest, FloatAfterFloat) {
  const QConfigMapping nothing;
  ExpectLast(nothing, B(A(x_)));
  const NShadowsResults results = Measure(TwoLinears(), nothing, x_);
  EXPECT_THAT(QConfigsOf(results), ElementsAre("none", "none"));
  EXPECT_EQ(results.subgraphs[1].candidates[0].pooled.SqnrDb(), INFINITY);
}

TEST_P(AddLoggersModelTest, ErrorsAddUp) {
  const NShadowsResults results = Measure(
      TwoLinears(),
      QConfigMapping().SetGlobal(kInt8).SetModuleName("b", QConfig()), x_);
  // The second layer is exact, but for what the first one made.
  EXPECT_LT(results.subgraphs[1].candidates[0].pooled.SqnrDb(), 60);
  EXPECT_EQ(results.subgraphs[0].values.size(), 1);
}

TEST_P(AddLoggersModelTest, FusedSubgraphIsOne) {
  const torch::jit::Module module = MakeModel(
      {{"conv", Conv2d(at::randn({4, 3, 3, 3}))},
       {"bn", BatchNorm2d(4)},
       {"relu", Relu()}},
      {"return self.relu.forward(self.bn.forward(self.conv.forward(x)))"});
  const ModelGraph model = OrThrow(ModelGraph::FromModule(module));
  const at::Tensor x = at::randn({2, 3, 6, 6});
  const NShadowsResults quantized =
      Measure(model, QConfigMapping().SetGlobal(kInt8), x);
  ASSERT_THAT(quantized.subgraphs, SizeIs(1));
  EXPECT_GT(quantized.subgraphs[0].candidates[0].pooled.SqnrDb(), 25);
  EXPECT_LT(quantized.subgraphs[0].candidates[0].pooled.SqnrDb(), 70);
  const NShadowsResults plain = Measure(
      model,
      QConfigMapping().SetGlobal(kInt8).SetModuleName("conv", std::nullopt), x);
  EXPECT_EQ(plain.subgraphs[0].candidates[0].pooled.SqnrDb(), INFINITY);
}

TEST_P(AddLoggersModelTest, FunctionsScalarsListsAndOpsInPlace) {
  const ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %r : Tensor = aten::relu(%x)
  %s : Tensor = aten::add(%r, %r, %one)
  %t : Tensor = aten::add(%s, %one, %one)
  %list : Tensor[] = prim::ListConstruct(%t, %t)
  %c : Tensor = aten::cat(%list, %zero)
  %e : Tensor = aten::erf(%c)
  %n : Tensor = aten::neg_(%e)
  %u : Tensor = aten::add_(%n, %one, %one)
  return (%u))IR");
  const at::Tensor x = at::randn({3, 2});
  const NShadowsResults results =
      Measure(model, QConfigMapping().SetGlobal(kInt8), x);
  EXPECT_THAT(
      QConfigsOf(results),
      ElementsAre("int8 per tensor", "int8 per tensor", "int8 per tensor",
                  "int8 per tensor", "none", "none", "int8 per tensor"));
  for (const ShadowedSubgraph& subgraph : results.subgraphs) {
    EXPECT_GT(subgraph.candidates[0].pooled.SqnrDb(), 20) << subgraph.name;
  }
  const NShadowsResults plain = Measure(model, QConfigMapping(), x);
  for (const ShadowedSubgraph& subgraph : plain.subgraphs) {
    EXPECT_EQ(subgraph.candidates[0].pooled.SqnrDb(), INFINITY)
        << subgraph.name;
  }
}

TEST_P(AddLoggersModelTest, ControlFlowIsQuantizedInside) {
  const ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %three : int = prim::Constant[value=3]()
  %true : bool = prim::Constant[value=1]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor = prim::Loop(%three, %true, %x)
    block0(%i : int, %v : Tensor):
      %w : Tensor = aten::matmul(%v, %v)
      -> (%true, %w)
  %z : Tensor = aten::add(%y, %y, %one)
  return (%z))IR");
  const at::Tensor x = at::rand({3, 3}) * 0.5;
  const NShadowsResults results =
      Measure(model, QConfigMapping().SetObjectType("matmul", kInt8), x);
  ASSERT_THAT(results.subgraphs, SizeIs(1));
  EXPECT_EQ(results.subgraphs[0].name, "add");
  EXPECT_LT(results.subgraphs[0].candidates[0].pooled.SqnrDb(), 70);
  EXPECT_GT(results.subgraphs[0].candidates[0].pooled.SqnrDb(), 15);
}

TEST_P(AddLoggersModelTest, ObserverWithoutParametersIsAnError) {
  QConfig qconfig = kInt8;
  qconfig.activation = SpecOf(ObserverKind::kRecording);
  EXPECT_THAT(
      MessageOf(PrepareNShadowsAddLoggersModel(
          OrThrow(ModelGraph::FromModule(
              MakeModel({{"fc", Linear(at::ones({2, 2}))}},
                        {"return self.fc.forward(x)"}))),
          QConfigMapping().SetGlobal(qconfig))),
      HasSubstr("activations of fc: observer 'recording' has no scale"));
}

TEST_P(AddLoggersModelTest, StateIsAnError) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModule("Counter",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "  self.calls.add_(1)\n"
                 "  return torch.relu(x * self.calls)\n",
                 {{"calls", at::zeros({1})}})));
  EXPECT_THAT(MessageOf(PrepareNShadowsAddLoggersModel(
                  model, QConfigMapping().SetGlobal(kInt8))),
              HasSubstr("writes to its attribute 'calls'"));
}

TEST_P(AddLoggersModelTest, APreparedModelIsAnError) {
  const QConfigMapping mapping = QConfigMapping().SetGlobal(kInt8);
  const NShadowsModel prepared = OrThrow(PrepareNShadowsAddLoggersModel(
      OrThrow(ModelGraph::FromModule(MakeModel(
          {{"fc", Linear(at::ones({2, 2}))}}, {"return self.fc.forward(x)"}))),
      mapping));
  EXPECT_THAT(
      MessageOf(PrepareNShadowsAddLoggersModel(prepared.model, mapping)),
      HasSubstr("is an n-shadows model already"));
}

TEST_P(AddLoggersModelTest, NamedCandidateWithoutKernelIsAnError) {
  const ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::erf(%x)
  return (%y))IR");
  EXPECT_THAT(MessageOf(PrepareNShadowsAddLoggersModel(
                  model, QConfigMapping().SetObjectType("erf", kInt8))),
              HasSubstr("aten::erf"));
}

NS_INSTANTIATE_ON_ENGINES(AddLoggersModelTest);

}  // namespace
}  // namespace ns
