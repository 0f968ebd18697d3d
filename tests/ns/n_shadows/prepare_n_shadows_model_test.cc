#include "ns/n_shadows/prepare_n_shadows_model.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/n_shadows/n_shadows_results.h"
#include "passes/instrument/logger_switches.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/activation_quantizer.h"
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
using ::testing::IsEmpty;
using ::testing::SizeIs;

const QConfig kNothing;

QConfigMultiMapping AllNamed() {
  QConfigMultiMapping::QConfigs qconfigs;
  for (const QConfig& qconfig : NamedQConfigs()) {
    qconfigs.push_back(qconfig);
  }
  return QConfigMultiMapping().SetGlobal(qconfigs);
}

// A model on its way through prepare, calibrate, convert, run.
class NShadows {
 public:
  NShadows(const ModelGraph& model, const QConfigMultiMapping& mapping)
      : model_(OrThrow(PrepareNShadowsModel(model, mapping))) {}

  c10::IValue Run(const std::vector<c10::IValue>& inputs) {
    return OrThrow(model_.model.Run(inputs));
  }
  void Convert() {
    NS_EXPECT_OK(ConvertNShadowsModel(module()));
    NS_EXPECT_OK(LoggersSetEnabled(module(), true));
  }
  NShadowsResults Results() {
    return OrThrow(ExtractResultsNShadowsModel(module()));
  }
  // Calibrates and measures on one batch.
  NShadowsResults Measure(const std::vector<c10::IValue>& inputs) {
    Run(inputs);
    Convert();
    Run(inputs);
    return Results();
  }
  torch::jit::Module& module() { return model_.model.module(); }
  const std::vector<SkippedCandidate>& skipped() const {
    return model_.skipped;
  }

 private:
  NShadowsModel model_;
};

// SQNR by candidate number of the subgraph called `name`.
std::map<int, double> SqnrOf(const NShadowsResults& results,
                             const std::string& name) {
  std::map<int, double> sqnr;
  for (const ShadowedSubgraph& subgraph : results.subgraphs) {
    if (subgraph.name == name) {
      for (const CandidateResult& candidate : subgraph.candidates) {
        sqnr[candidate.candidate] = candidate.pooled.SqnrDb();
      }
    }
  }
  return sqnr;
}

double Sqnr(const at::Tensor& x, const at::Tensor& y) {
  const at::Tensor wide = x.to(at::kDouble);
  return 20 *
         std::log10(
             (wide.norm() / (wide - y.to(at::kDouble)).norm()).item<double>());
}

// `x` quantized with the range of `observed`, and dequantized.
at::Tensor FakeQuantize(const at::Tensor& x, const at::Tensor& observed) {
  const QParams qparams =
      ChooseQParams(observed.min().item<float>(), observed.max().item<float>(),
                    0, 255, /*symmetric=*/false);
  return at::dequantize(at::quantize_per_tensor(
      x, qparams.scale, qparams.zero_point, at::kQUInt8));
}

class PrepareNShadowsModelTest : public EngineTest {
 protected:
  ModelGraph ConvModel() {
    return OrThrow(ModelGraph::FromModule(
        MakeModel({{"conv", Conv2d(at::randn({4, 3, 3, 3}))},
                   {"bn", BatchNorm2d(4)},
                   {"relu", Relu()},
                   {"fc", Linear(at::randn({5, 4}))}},
                  {"x = self.relu.forward(self.bn.forward("
                   "self.conv.forward(x)))",
                   "return self.fc.forward(torch.mean(x, [2, 3]))"})));
  }
};

TEST_P(PrepareNShadowsModelTest, EverySubgraphHasEveryCandidateThatFits) {
  NShadows shadows(ConvModel(), AllNamed());
  const NShadowsResults results = shadows.Measure({at::randn({2, 3, 8, 8})});
  std::vector<std::string> names;
  for (const ShadowedSubgraph& subgraph : results.subgraphs) {
    names.push_back(subgraph.name);
  }
  EXPECT_THAT(names, ElementsAre("conv", "mean", "fc"));
  EXPECT_THAT(SqnrOf(results, "conv"), SizeIs(5));
  EXPECT_THAT(SqnrOf(results, "fc"), SizeIs(5));
  // int8 per tensor, int8 per channel, fp16.
  EXPECT_THAT(SqnrOf(results, "mean"), SizeIs(3));
  ASSERT_THAT(shadows.skipped(), SizeIs(2));
  EXPECT_EQ(shadows.skipped()[0].subgraph, "mean");
  EXPECT_EQ(shadows.skipped()[0].candidate, "dynamic");
  EXPECT_THAT(shadows.skipped()[0].reason,
              HasSubstr("no dynamically quantized form"));
}

TEST_P(PrepareNShadowsModelTest, OutputsStayBitIdentical) {
  ModelGraph model = ConvModel();
  NShadows shadows(model, AllNamed());
  const at::Tensor x = at::randn({2, 3, 8, 8});
  const at::Tensor expected = OrThrow(model.Run({x})).toTensor();
  EXPECT_TRUE(shadows.Run({x}).toTensor().equal(expected));
  shadows.Convert();
  EXPECT_TRUE(shadows.Run({x}).toTensor().equal(expected));
}

TEST_P(PrepareNShadowsModelTest, LinearIsWhatQuantizingByHandGives) {
  const at::Tensor weight = at::randn({6, 5});
  const at::Tensor x = at::randn({3, 5});
  NShadows shadows(
      OrThrow(ModelGraph::FromModule(
          MakeModel({{"fc", Linear(weight)}}, {"return self.fc.forward(x)"}))),
      AllNamed());
  const std::map<int, double> sqnr = SqnrOf(shadows.Measure({x}), "fc");
  const at::Tensor y = at::linear(x, weight);
  const at::Tensor xq = FakeQuantize(x, x);
  const at::Tensor per_tensor =
      FakeQuantizeWeight(weight, Int8PerTensorQConfig().weight.config);
  const at::Tensor per_channel =
      FakeQuantizeWeight(weight, Int8PerChannelQConfig().weight.config);
  EXPECT_NEAR(sqnr.at(0), Sqnr(y, FakeQuantize(at::linear(xq, per_tensor), y)),
              0.01);
  EXPECT_NEAR(sqnr.at(1), Sqnr(y, FakeQuantize(at::linear(xq, per_channel), y)),
              0.01);
  EXPECT_NEAR(sqnr.at(2), Sqnr(y, at::linear(xq, per_tensor)), 0.01);
  const auto half = [](const at::Tensor& t) {
    return t.to(at::kHalf).to(at::kFloat);
  };
  EXPECT_NEAR(sqnr.at(3), Sqnr(y, half(at::linear(half(x), half(weight)))),
              0.01);
  EXPECT_NEAR(
      sqnr.at(4),
      Sqnr(y, at::linear(x, FakeQuantizeWeight(
                                weight, Int4WeightsQConfig().weight.config))),
      0.01);
}

TEST_P(PrepareNShadowsModelTest, CandidateOfNothingIsExact) {
  NShadows shadows(ConvModel(), QConfigMultiMapping().SetGlobal({kNothing}));
  const NShadowsResults results = shadows.Measure({at::randn({1, 3, 5, 5})});
  for (const ShadowedSubgraph& subgraph : results.subgraphs) {
    ASSERT_THAT(subgraph.candidates, SizeIs(1));
    EXPECT_EQ(subgraph.candidates[0].pooled.SqnrDb(), INFINITY)
        << subgraph.name;
  }
}

TEST_P(PrepareNShadowsModelTest, StatisticsPoolOverBatches) {
  NShadows shadows(ConvModel(),
                   QConfigMultiMapping().SetGlobal({Int8PerTensorQConfig()}));
  const at::Tensor small = at::randn({1, 3, 5, 5}) * 0.1;
  const at::Tensor large = at::randn({4, 3, 5, 5});
  shadows.Run({small});
  shadows.Run({large});
  shadows.Convert();
  shadows.Run({small});
  shadows.Run({large});
  const NShadowsResults results = shadows.Results();
  const CandidateResult& conv = results.subgraphs[0].candidates[0];
  ASSERT_THAT(conv.call_sqnr_db, SizeIs(2));
  EXPECT_EQ(conv.pooled.count, 5 * 4 * 3 * 3);
  // The small batch has the steps of the large one.
  EXPECT_LT(conv.call_sqnr_db[0] + 5, conv.call_sqnr_db[1]);
  EXPECT_THAT(conv.values, IsEmpty());
}

constexpr char kInPlace[] = R"IR(
graph(%x : Tensor):
  %none : NoneType = prim::Constant()
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::relu_(%a)
  %one : int = prim::Constant[value=1]()
  %c : Tensor = aten::add_(%b, %x, %one)
  %d : Tensor = aten::neg_(%c)
  return (%d))IR";

TEST_P(PrepareNShadowsModelTest, OpsInPlaceDisturbNothing) {
  ModelGraph model = ModelOf(kInPlace);
  NShadows shadows(model, QConfigMultiMapping().SetGlobal(
                              {kNothing, Int8PerTensorQConfig()}));
  const at::Tensor x = at::randn({7});
  const at::Tensor expected = OrThrow(model.Run({x.clone()})).toTensor();
  const NShadowsResults results = shadows.Measure({x});
  EXPECT_TRUE(shadows.Run({x}).toTensor().equal(expected));
  EXPECT_EQ(SqnrOf(results, "relu").at(0), INFINITY);
  EXPECT_EQ(SqnrOf(results, "add").at(0), INFINITY);
  EXPECT_GT(SqnrOf(results, "add").at(1), 20);
}

TEST_P(PrepareNShadowsModelTest, WorksInsideBranchesAndLoops) {
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor, %p : bool, %n : int):
  %true : bool = prim::Constant[value=1]()
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::sigmoid(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::hardswish(%x)
      -> (%b)
  %z : Tensor = prim::Loop(%n, %true, %y)
    block0(%i : int, %v : Tensor):
      %w : Tensor = aten::matmul(%v, %v)
      -> (%true, %w)
  return (%z))IR");
  NShadows shadows(model, QConfigMultiMapping().SetGlobal(
                              {Int8PerTensorQConfig(), Fp16QConfig()}));
  const at::Tensor x = at::rand({3, 3}) * 0.5;
  const std::vector<c10::IValue> inputs = {x, true, int64_t{3}};
  const at::Tensor expected = OrThrow(model.Run(inputs)).toTensor();
  const NShadowsResults results = shadows.Measure(inputs);
  EXPECT_TRUE(shadows.Run(inputs).toTensor().equal(expected));
  ASSERT_THAT(results.subgraphs, SizeIs(3));
  EXPECT_THAT(results.subgraphs[0].candidates[0].call_sqnr_db, SizeIs(1));
  EXPECT_THAT(results.subgraphs[1].candidates[0].call_sqnr_db, IsEmpty());
  EXPECT_THAT(results.subgraphs[2].candidates[0].call_sqnr_db, SizeIs(3));
  EXPECT_GT(SqnrOf(results, "matmul").at(1),
            SqnrOf(results, "matmul").at(0) + 10);
}

TEST_P(PrepareNShadowsModelTest, SavedModelGoesOnWhereItWas) {
  NShadows shadows(ConvModel(), AllNamed());
  const at::Tensor x = at::randn({2, 3, 8, 8});
  shadows.Run({x});
  std::stringstream file;
  shadows.module().save(file);
  torch::jit::Module loaded = torch::jit::load(file);
  NS_ASSERT_OK(ConvertNShadowsModel(loaded));
  NS_ASSERT_OK(LoggersSetEnabled(loaded, true));
  loaded.forward({x});
  const NShadowsResults of_loaded =
      OrThrow(ExtractResultsNShadowsModel(loaded));
  shadows.Convert();
  shadows.Run({x});
  const NShadowsResults expected = shadows.Results();
  ASSERT_EQ(of_loaded.subgraphs.size(), expected.subgraphs.size());
  for (size_t i = 0; i < expected.subgraphs.size(); ++i) {
    const std::string& name = expected.subgraphs[i].name;
    const auto sqnr = SqnrOf(expected, name);
    const auto loaded_sqnr = SqnrOf(of_loaded, name);
    ASSERT_EQ(sqnr.size(), loaded_sqnr.size());
    for (const auto& [candidate, db] : sqnr) {
      EXPECT_NEAR(loaded_sqnr.at(candidate), db, 1e-3) << name;
    }
  }
}

TEST_P(PrepareNShadowsModelTest, CandidateSetByNameThatNoKernelSupports) {
  const ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::erf(%x)
  return (%y))IR");
  const std::string message = MessageOf(PrepareNShadowsModel(
      model,
      QConfigMultiMapping().SetObjectType("erf", {Int8PerTensorQConfig()})));
  EXPECT_THAT(message, HasSubstr("candidate 'int8 per tensor'"));
  EXPECT_THAT(message, HasSubstr("aten::erf"));
  // From the global setting, it is left out.
  const NShadowsModel skipped = OrThrow(PrepareNShadowsModel(
      model, QConfigMultiMapping().SetGlobal({Int8PerTensorQConfig()})));
  ASSERT_THAT(skipped.skipped, SizeIs(1));
  EXPECT_EQ(skipped.skipped[0].subgraph, "erf");
  EXPECT_EQ(skipped.skipped[0].reason, message);
}

TEST_P(PrepareNShadowsModelTest, RefusesWhatIsNoRegularExpression) {
  EXPECT_THAT(MessageOf(PrepareNShadowsModel(
                  ConvModel(), QConfigMultiMapping().SetModuleNameRegex(
                                   "conv(", {DynamicQConfig()}))),
              HasSubstr("module name regex 'conv('"));
}

TEST_P(PrepareNShadowsModelTest, RefusesObserversWithoutParameters) {
  QConfig qconfig = Int8PerTensorQConfig();
  qconfig.activation = SpecOf(ObserverKind::kRecording);
  EXPECT_THAT(MessageOf(PrepareNShadowsModel(
                  ConvModel(), QConfigMultiMapping().SetGlobal({qconfig}))),
              HasSubstr("activations of conv: observer 'recording' has no "
                        "scale and zero point"));
}

TEST_P(PrepareNShadowsModelTest, FixedParametersNeedNoCalibration) {
  QConfig qconfig;
  qconfig.activation = SpecOf(ObserverKind::kFixedQParams);
  qconfig.activation.config.scale = 0.5;
  qconfig.activation.config.zero_point = 128;
  NShadows shadows(ConvModel(), QConfigMultiMapping().SetGlobal({qconfig}));
  shadows.Convert();
  shadows.Run({at::randn({1, 3, 5, 5})});
  EXPECT_GT(SqnrOf(shadows.Results(), "fc").at(0), 10);
}

TEST_P(PrepareNShadowsModelTest, RefusesToConvertWithoutCalibration) {
  NShadows shadows(ConvModel(), AllNamed());
  EXPECT_THAT(std::string(ConvertNShadowsModel(shadows.module()).message()),
              HasSubstr("not calibrated"));
  // Nothing of these needs it.
  NShadows dynamic(ConvModel(), QConfigMultiMapping().SetGlobal(
                                    {DynamicQConfig(), Fp16QConfig()}));
  NS_EXPECT_OK(ConvertNShadowsModel(dynamic.module()));
}

TEST_P(PrepareNShadowsModelTest, RefusesOtherModules) {
  ModelGraph model = ConvModel();
  EXPECT_THAT(std::string(ConvertNShadowsModel(model.module()).message()),
              HasSubstr("no n-shadows model"));
  EXPECT_THAT(MessageOf(ExtractResultsNShadowsModel(model.module())),
              HasSubstr("no n-shadows model"));
  NShadowsModel once = OrThrow(PrepareNShadowsModel(model, AllNamed()));
  EXPECT_THAT(MessageOf(PrepareNShadowsModel(once.model, AllNamed())),
              HasSubstr("n-shadows model already"));
}

NS_INSTANTIATE_ON_ENGINES(PrepareNShadowsModelTest);

}  // namespace
}  // namespace ns
