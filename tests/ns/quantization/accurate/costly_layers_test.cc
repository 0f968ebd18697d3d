#include "ns/quantization/accurate/costly_layers.h"

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;
using ::torch::jit::Module;

Module Linear(const at::Tensor& weight) {
  return MakeModule("torch.nn.modules.linear.Linear",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "  return torch.linear(x, self.weight, None)\n",
                    {{"weight", weight}});
}

Module Norm(const at::Tensor& gamma) {
  return MakeModule("torch.nn.modules.normalization.LayerNorm",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "  return torch.layer_norm(x, [16], self.weight, None)\n",
                    {{"weight", gamma}});
}

class CostlyLayersTest : public ::testing::Test {
 protected:
  CostlyLayersTest() {
    at::manual_seed(7);
    options_.backend = Backend::kQnnpack;
    for (int i = 0; i < 4; ++i) {
      batches_.push_back(at::randn({64, 16}));
    }
  }

  // A sum one of whose channels, of which little is made, is `factor` times as
  // large as the others, as in a transformer that was trained. `rest` returns
  // what is made of the sum `s`.
  ModelGraph Sum(double factor, const std::vector<std::string>& rest) {
    at::Tensor down = at::randn({16, 16});
    down[3] *= factor;
    at::Tensor gamma = at::ones({16});
    gamma[3] = 1 / factor;
    std::vector<std::string> body = {
        "s = x + self.down.forward(torch.relu(self.up.forward(x)))"};
    body.insert(body.end(), rest.begin(), rest.end());
    return OrThrow(
        ModelGraph::FromModule(MakeModel({{"up", Linear(at::randn({16, 16}))},
                                          {"down", Linear(down)},
                                          {"norm", Norm(gamma)},
                                          {"head", Linear(at::randn({8, 16}))},
                                          {"tail", Linear(at::randn({4, 8}))}},
                                         body)));
  }

  CostlyLayers Find(const ModelGraph& model,
                    const CostlyLayersOptions& options) {
    const QuantizedModel quantized =
        OrThrow(QuantizeModel(model, BatchesOf(batches_), options_));
    return OrThrow(FindCostlyLayers(model, quantized.model, quantized.report,
                                    BatchesOf(batches_), options));
  }

  static CostlyLayersOptions Anywhere() {
    CostlyLayersOptions options;
    options.between_int8 = true;
    return options;
  }

  QuantizeOptions options_;
  std::vector<at::Tensor> batches_;
};

TEST_F(CostlyLayersTest, ASumAndWhatReadsItMoveToFloat) {
  const ModelGraph model =
      Sum(60, {"return self.head.forward(self.norm.forward(s))"});
  const CostlyLayers costly = Find(model, Anywhere());
  EXPECT_THAT(costly.to_float,
              ElementsAre(Pair("add",
                               "in int8, it would round the values of down all "
                               "the same"),
                          Pair("norm",
                               "in int8, it would round the values of add all "
                               "the same")));
  EXPECT_THAT(costly.to_dynamic,
              ElementsAre(Pair("down", StartsWith("in int8, it would make "))));
}

TEST_F(CostlyLayersTest, NothingStandsOutWhereChannelsAreAlike) {
  CostlyLayersOptions options = Anywhere();
  options.least_share = 0.5;
  EXPECT_TRUE(
      Find(Sum(1, {"return self.head.forward(self.norm.forward(s))"}), options)
          .empty());
}

TEST_F(CostlyLayersTest, ALinearLayerThatAnotherReadsGainsNothing) {
  CostlyLayersOptions options = Anywhere();
  options.least_sum = options.least_share = 1e-6;
  const CostlyLayers costly =
      Find(Sum(1, {"return self.tail.forward(self.head.forward(s))"}), options);
  EXPECT_EQ(costly.to_dynamic.count("head"), 0);
  EXPECT_EQ(costly.to_dynamic.count("tail"), 1);
}

TEST_F(CostlyLayersTest, OtherwiseOnlyWhatIsDequantizedAnyhowCounts) {
  CostlyLayersOptions options;
  options.least_sum = options.least_share = 1e-6;
  const CostlyLayers costly = Find(
      Sum(60, {"return self.head.forward(self.norm.forward(s))"}), options);
  EXPECT_THAT(costly.to_float, IsEmpty());
  EXPECT_THAT(costly.to_dynamic, ElementsAre(Pair("head", HasSubstr("%"))));
}

TEST_F(CostlyLayersTest, ALayerInFrontOfOneThatMovesIsDequantizedToo) {
  CostlyLayersOptions options;
  options.least_sum = options.least_share = 1e-6;
  const CostlyLayers costly =
      Find(Sum(1, {"return torch.sigmoid(self.head.forward(s))"}), options);
  EXPECT_THAT(costly.to_float, ElementsAre(Pair("sigmoid", HasSubstr("%"))));
  EXPECT_THAT(costly.to_dynamic, ElementsAre(Pair("head", HasSubstr("%"))));
}

TEST_F(CostlyLayersTest, RulesNameTheLayers) {
  ModelGraph model =
      Sum(60, {"return self.head.forward(self.norm.forward(s))"});
  CostlyLayers costly;
  costly.to_float["norm"] = costly.to_dynamic["down"] = "a reason";
  QConfigMapping mapping = DefaultMapping(options_);
  const QConfigMapping before = mapping;
  const QConfig dynamic = DynamicLinearQConfig(options_);
  NS_ASSERT_OK(AddRulesFor(costly, model, dynamic, mapping));
  for (const FloatSubgraph& layer : FindFloatSubgraphs(model.graph())) {
    const OptionalQConfig qconfig = mapping.Choose(layer).qconfig;
    if (layer.name == "norm") {
      EXPECT_EQ(qconfig, OptionalQConfig());
    } else if (layer.name == "down") {
      EXPECT_EQ(qconfig, dynamic);
    } else {
      EXPECT_EQ(qconfig, before.Choose(layer).qconfig) << layer.name;
    }
  }
}

}  // namespace
}  // namespace ns
