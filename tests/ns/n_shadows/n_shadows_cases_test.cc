// The claims of PyTorch's n-shadows tests, each on our API: see
// tests/README.md.
#include <ATen/Functions.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/n_shadows/n_shadows_results.h"
#include "ns/n_shadows/prepare_n_shadows_model.h"
#include "ns/n_shadows/qconfig_multi_mapping.h"
#include "passes/instrument/logger_switches.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const QConfig kStatic = Int8PerTensorQConfig();
const QConfig kPerChannel = Int8PerChannelQConfig();
const QConfig kDynamic = DynamicQConfig();

// "fc: int8 per tensor, dynamic": the candidates of each subgraph.
using Candidates = std::vector<std::pair<std::string, std::string>>;

class NShadowsCasesTest : public EngineTest {
 protected:
  // Prepares, calibrates twice, converts, enables and runs; checks that every
  // candidate was compared once and that the output is the float model's.
  static Candidates Measure(const torch::jit::Module& module,
                            const QConfigMultiMapping& mapping,
                            const at::Tensor& x) {
    ModelGraph model = OrThrow(ModelGraph::FromModule(module));
    const at::Tensor expected = OrThrow(model.Run({x})).toTensor();
    NShadowsModel shadows = OrThrow(PrepareNShadowsModel(model, mapping));
    for (int i = 0; i < 2; ++i) {
      OrThrow(shadows.model.Run({x}));
    }
    torch::jit::Module& prepared = shadows.model.module();
    NS_EXPECT_OK(ConvertNShadowsModel(prepared));
    NS_EXPECT_OK(LoggersSetEnabled(prepared, true));
    EXPECT_TRUE(OrThrow(shadows.model.Run({x})).toTensor().equal(expected));
    const NShadowsResults results =
        OrThrow(ExtractResultsNShadowsModel(prepared));
    const std::string table = ComparisonsNShadowsModel(results);
    Candidates candidates;
    for (const ShadowedSubgraph& subgraph : results.subgraphs) {
      EXPECT_THAT(table, HasSubstr(subgraph.op));
      std::string names;
      for (const CandidateResult& candidate : subgraph.candidates) {
        names += (names.empty() ? "" : ", ") + candidate.qconfig;
        EXPECT_EQ(candidate.call_sqnr_db.size(), 1);
        EXPECT_GT(candidate.pooled.SqnrDb(), 15) << subgraph.name;
      }
      candidates.emplace_back(subgraph.name, names);
    }
    return candidates;
  }

  static torch::jit::Module TwoLinears() {
    return MakeModel({{"fc1", Linear(at::randn({8, 5}))},
                      {"fc2", Linear(at::randn({5, 8}))}},
                     {"return self.fc2.forward(self.fc1.forward(x))"});
  }
};

TEST_P(NShadowsCasesTest, LinearModule) {
  EXPECT_THAT(
      Measure(MakeModel({{"fc1", Linear(at::randn({2, 2}))}},
                        {"return self.fc1.forward(x)"}),
              QConfigMultiMapping().SetGlobal({kStatic}), at::randn({2, 2})),
      ElementsAre(Pair("fc1", "int8 per tensor")));
}

TEST_P(NShadowsCasesTest, LinearReluModules) {
  EXPECT_THAT(Measure(MakeModel({{"fc1", Linear(at::randn({2, 2}))},
                                 {"fc2", Linear(at::randn({2, 2}))},
                                 {"relu", Relu()}},
                                {"x = self.fc2.forward(self.fc1.forward(x))",
                                 "return self.relu.forward(x)"}),
                      QConfigMultiMapping().SetGlobal({kStatic, kDynamic}),
                      at::randn({8, 2})),
              // The relu is part of fc2.
              ElementsAre(Pair("fc1", "int8 per tensor, dynamic"),
                          Pair("fc2", "int8 per tensor, dynamic")));
}

TEST_P(NShadowsCasesTest, ConvBnReluModules) {
  EXPECT_THAT(Measure(MakeModel({{"conv", Conv2d(at::randn({1, 1, 1, 1}))},
                                 {"bn", BatchNorm2d(1)},
                                 {"relu", Relu()}},
                                {"x = self.bn.forward(self.conv.forward(x))",
                                 "return self.relu.forward(x)"}),
                      QConfigMultiMapping().SetGlobal({kStatic, kPerChannel}),
                      at::randn({32, 1, 16, 16})),
              ElementsAre(Pair("conv", "int8 per tensor, int8 per channel")));
}

TEST_P(NShadowsCasesTest, Functions) {
  const torch::jit::Module module = MakeModule(
      "Model",
      "def forward(self, x: Tensor):\n"
      "    x = torch.sigmoid(x)\n"
      "    x = torch.linear(x, self.w, self.b)\n"
      "    x = torch.linear(x, torch.slice(self.w, 0, 0, 2, 1), self.b)\n"
      "    x = torch.relu(x)\n"
      "    x = x + x\n"
      "    x = torch.cat([x], 0)\n"
      "    x = torch.cat(tensors=[x, x], dim=1)\n"
      "    x = torch.matmul(x, torch.reshape(x, [4, 2]))\n"
      "    return x\n",
      {{"w", at::rand({2, 2})}, {"b", at::rand({2})}});
  EXPECT_THAT(
      Measure(module, QConfigMultiMapping().SetGlobal({kStatic}),
              at::randn({2, 2})),
      ElementsAre(
          Pair("sigmoid", "int8 per tensor"), Pair("linear", "int8 per tensor"),
          Pair("linear@1", "int8 per tensor"), Pair("add", "int8 per tensor"),
          Pair("cat", "int8 per tensor"), Pair("cat@1", "int8 per tensor"),
          Pair("matmul", "int8 per tensor")));
}

TEST_P(NShadowsCasesTest, PartialQConfigMapping) {
  const torch::jit::Module module =
      MakeModule("Model",
                 "def forward(self, x: Tensor):\n"
                 "    x = self.fc.forward(x)\n"
                 "    x = torch.linear(x, self.w, self.b)\n"
                 "    x = torch.relu(x)\n"
                 "    return x + x\n",
                 {{"w", at::rand({2, 2})}, {"b", at::rand({2})}},
                 {{"fc", Linear(at::randn({2, 2}))}});
  // Function-style ops only: the type of a module decides before the op. Its
  // relu belongs to the linear.
  EXPECT_THAT(Measure(module,
                      QConfigMultiMapping()
                          .SetObjectType("aten::linear", {kStatic})
                          .SetObjectType("torch.nn.modules.linear.Linear", {})
                          .SetObjectType("relu", {kStatic}),
                      at::rand({2, 2})),
              ElementsAre(Pair("linear", "int8 per tensor")));
}

TEST_P(NShadowsCasesTest, MultiMappingEndToEnd) {
  EXPECT_THAT(Measure(TwoLinears(),
                      QConfigMultiMapping()
                          .SetGlobal({kStatic, kDynamic})
                          .SetModuleName("fc2", {std::nullopt, kStatic}),
                      at::randn({8, 5})),
              // The second global qconfig does not reach fc2.
              ElementsAre(Pair("fc1", "int8 per tensor, dynamic"),
                          Pair("fc2", "int8 per tensor")));
}

TEST_P(NShadowsCasesTest, MultiMappingFromList) {
  EXPECT_THAT(Measure(TwoLinears(),
                      QConfigMultiMapping::FromListOfQConfigMapping(
                          {QConfigMapping().SetGlobal(kStatic),
                           QConfigMapping().SetGlobal(kDynamic).SetModuleName(
                               "fc2", kStatic)}),
                      at::randn({8, 5})),
              ElementsAre(Pair("fc1", "int8 per tensor, dynamic"),
                          Pair("fc2", "int8 per tensor")));
}

TEST_P(NShadowsCasesTest, MultiMappingOrder) {
  EXPECT_THAT(
      Measure(TwoLinears(),
              QConfigMultiMapping()
                  .SetGlobal({kStatic, kDynamic})
                  .SetModuleName("fc2", {std::nullopt, kDynamic, kPerChannel}),
              at::randn({8, 5})),
      ElementsAre(Pair("fc1", "int8 per tensor, dynamic"),
                  Pair("fc2", "dynamic, int8 per channel")));
}

TEST_P(NShadowsCasesTest, SubgraphsWithoutQConfigHaveNoLoggers) {
  EXPECT_THAT(Measure(TwoLinears(), QConfigMultiMapping(), at::randn({8, 5})),
              IsEmpty());
}

NS_INSTANTIATE_ON_ENGINES(NShadowsCasesTest);

}  // namespace
}  // namespace ns
