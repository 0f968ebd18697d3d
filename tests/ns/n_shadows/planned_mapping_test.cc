#include "ns/n_shadows/planned_mapping.h"

#include <ATen/Functions.h>

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/fold_for_quantization.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/qconfig_json.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

ModelGraph Flat(const torch::jit::Module& module) {
  return OrThrow(ModelGraph::FromModule(module));
}

// A report on all subgraphs of `model`, where layer i gets candidate i % 3, or
// stays in float.
SensitivityReport ReportOn(const ModelGraph& model) {
  SensitivityReport report;
  report.sensitivity.candidates = {Int8PerChannelQConfig(), Fp16QConfig()};
  report.plan.emplace();
  for (const FloatSubgraph& subgraph : FindFloatSubgraphs(model.graph())) {
    const size_t i = report.sensitivity.layers.size();
    ShadowedSubgraph layer;
    layer.name = subgraph.name;
    report.sensitivity.layers.push_back(layer);
    report.plan->choices.push_back(i % 3 == 2 ? std::nullopt
                                              : std::make_optional<int>(i % 3));
  }
  return report;
}

// Expects that the mapping, once it was written and read, chooses the plan.
void ExpectChoosesThePlan(const ModelGraph& model, size_t layers) {
  const SensitivityReport report = ReportOn(model);
  const QConfigMapping mapping = OrThrow(ParseQConfigMapping(
      QConfigMappingToJson(OrThrow(PlannedMapping(model, report))), "plan"));
  EXPECT_EQ(mapping.global(), std::nullopt);
  const ModelGraph folded = OrThrow(FoldForQuantization(model, false));
  const std::vector<FloatSubgraph> subgraphs =
      FindFloatSubgraphs(folded.graph());
  ASSERT_THAT(subgraphs, SizeIs(layers));
  for (size_t i = 0; i < subgraphs.size(); ++i) {
    const QConfigChoice choice = mapping.Choose(subgraphs[i]);
    const std::optional<int> planned = report.plan->choices[i];
    EXPECT_EQ(choice.qconfig,
              planned ? OptionalQConfig(report.sensitivity.candidates[*planned])
                      : std::nullopt)
        << subgraphs[i].name;
    EXPECT_TRUE(choice.names_target) << subgraphs[i].name;
  }
}

class PlannedMappingTest : public testing::Test {
 protected:
  static torch::jit::Module Block() {
    return MakeModel({{"fc1", Linear(at::randn({4, 4}))},
                      {"fc2", Linear(at::randn({4, 4}))}},
                     {"y = self.fc1.forward(x)", "y = self.fc2.forward(y) + x",
                      "return torch.sigmoid(y) + y"});
  }
};

TEST_F(PlannedMappingTest, LayersAloneInTheirModuleAreNamedByIt) {
  const ModelGraph model = Flat(MakeModel(
      {{"fc1", Linear(at::randn({4, 4}))}, {"fc2", Linear(at::randn({4, 4}))}},
      {"return self.fc2.forward(self.fc1.forward(x))"}));
  ExpectChoosesThePlan(model, 2);
  EXPECT_EQ(OrThrow(PlannedMapping(model, ReportOn(model))).ToString(),
            "module name 'fc1': int8 per channel\n"
            "module name 'fc2': fp16\n");
}

TEST_F(PlannedMappingTest, OthersAreNamedByTheirNumber) {
  const ModelGraph model =
      Flat(MakeModel({{"block", Block()}, {"fc", Linear(at::randn({4, 4}))}},
                     {"x = self.fc.forward(x)",
                      "return self.fc.forward("
                      "self.block.forward(x) * 2)"}));
  ExpectChoosesThePlan(model, 8);
  EXPECT_EQ(OrThrow(PlannedMapping(model, ReportOn(model))).ToString(),
            "module name 'block.fc1': fp16\n"
            "module name 'block.fc2': none\n"
            "object type 'aten::linear' number 0 in module 'fc': int8 per "
            "channel\n"
            "object type 'aten::add' number 0 in module 'block': int8 per "
            "channel\n"
            "object type 'aten::sigmoid' number 0 in module 'block': fp16\n"
            "object type 'aten::add' number 1 in module 'block': none\n"
            "object type 'aten::mul' number 0 in module '': int8 per channel\n"
            "object type 'aten::linear' number 1 in module 'fc': fp16\n");
}

TEST_F(PlannedMappingTest, OpsInPlaceAreCountedWithOthers) {
  ExpectChoosesThePlan(
      Flat(MakeModel({}, {"y = x.add(x)", "y.add_(x)", "y = y.add(x)",
                          "y.mul_(x)", "return y.add_(y)"})),
      5);
}

TEST_F(PlannedMappingTest, GraphsWithoutNamesHaveNumbersOnly) {
  ExpectChoosesThePlan(ModelOf(R"IR(
graph(%x : Tensor, %w : Tensor):
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::linear(%x, %w, %none)
  %z : Tensor = aten::linear(%y, %w, %none)
  %r : Tensor = aten::sigmoid(%z)
  return (%r))IR"),
                       3);
}

TEST_F(PlannedMappingTest, MeasuredModelsAreMappedAsPlanned) {
  const ModelGraph model =
      Flat(MakeModel({{"block", Block()}}, {"return self.block.forward(x)"}));
  SensitivityReport report;
  report.sensitivity =
      OrThrow(MeasureSensitivity(model, {{{at::randn({3, 4})}, {}}}));
  report.plan =
      PlanQuantization(report.sensitivity, OrThrow(ParseBudget("1layer")));
  const QConfigMapping mapping = OrThrow(PlannedMapping(model, report));
  std::vector<std::string> names;
  size_t layer = 0;
  for (const FloatSubgraph& subgraph : FindFloatSubgraphs(model.graph())) {
    ASSERT_LT(layer, report.sensitivity.layers.size());
    EXPECT_EQ(report.sensitivity.layers[layer].name, subgraph.name);
    const OptionalQConfig chosen = mapping.Choose(subgraph).qconfig;
    EXPECT_EQ(chosen ? QConfigName(*chosen) : "float", UseOf(report, layer));
    ++layer;
  }
  EXPECT_EQ(layer, 5U);
}

// QuantizeModel says which rule chose each layer.
TEST_F(PlannedMappingTest, QuantizingFindsTheSameLayers) {
  const ModelGraph model =
      Flat(MakeModel({{"block", Block()}, {"fc", Linear(at::randn({4, 4}))}},
                     {"x = torch.hardtanh(x * 2.0, 0.0, 6.0)",
                      "y = torch.hardtanh(self.fc.forward(x), 0.0, 6.0)",
                      "y += x", "y *= x", "z = torch.hardtanh(y, -1.0, 1.0)",
                      "return torch.relu_(self.block.forward(z).add_(y))"}));
  const std::vector<Batch> batches = {{{at::randn({3, 4})}, {}}};
  SensitivityReport report;
  SensitivityOptions options;
  options.candidates = {Int8PerChannelQConfig()};
  report.sensitivity = OrThrow(MeasureSensitivity(model, batches, options));
  report.plan = PlanQuantization(report.sensitivity, OrThrow(ParseBudget("0")));
  QuantizeOptions quantize;
  quantize.mapping = OrThrow(PlannedMapping(model, report));
  const QuantizedModel quantized =
      OrThrow(QuantizeModel(model, batches, quantize));
  EXPECT_THAT(quantized.report.stayed_float, IsEmpty());
  EXPECT_THAT(quantized.report.unused_rules, IsEmpty());
}

TEST_F(PlannedMappingTest, WhatWasNotMeasuredStaysInFloat) {
  const ModelGraph model = Flat(MakeModel({{"fc", Linear(at::randn({4, 4}))}},
                                          {"return self.fc.forward(x)"}));
  SensitivityReport report;
  report.plan.emplace();
  const QConfigMapping mapping = OrThrow(PlannedMapping(model, report));
  EXPECT_EQ(mapping, QConfigMapping());
  EXPECT_THAT(mapping.module_names(), IsEmpty());
}

}  // namespace
}  // namespace ns
