#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/instrument/pair/pair_models.h"
#include "passes/runtime/loggers/pair_comparer.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Nodes of an op in the methods that are shadows.
std::vector<torch::jit::Node*> NodesOfShadows(const ModelGraph& model,
                                              const char* op) {
  std::vector<torch::jit::Node*> nodes;
  for (const torch::jit::Method& method : model.module().get_methods()) {
    if (method.name() != model.method()) {
      for (torch::jit::Node* node : NodesOf(*method.graph(), op)) {
        nodes.push_back(node);
      }
    }
  }
  return nodes;
}

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
  EXPECT_THAT(NodesOf(models.pair.model.graph(), "aten::conv2d"), SizeIs(3));
  EXPECT_THAT(NodesOfShadows(models.pair.model, "aten::conv2d"), SizeIs(2));
  models.ExpectSameAsAlone({image_});
}

TEST_F(FusedPairTest, FusesWhatBHasInQuantizedForm) {
  Paired exact = Models(All());
  PairPlan plan = All();
  plan.exact = false;
  Paired models = Models(plan);
  // A's and its shadow; not those that are float in both.
  EXPECT_THAT(NodesOf(models.pair.model.graph(), "aten::conv2d"), SizeIs(2));
  EXPECT_THAT(NodesOfShadows(models.pair.model, "aten::conv2d"), SizeIs(1));
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

}  // namespace
}  // namespace ns
