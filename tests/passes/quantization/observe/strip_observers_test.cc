#include "passes/quantization/observe/strip_observers.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/observe/prepared_model.h"
#include "tests/passes/quantization/convert/calibrated.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kNet = {
    "y = torch.relu(torch.conv2d(x, self.w2, self.b))",
    "if bool(y.sum() > 0):", "  y = torch.conv2d(y, self.w2, self.b) + 1",
    "return y"};

// All of them, in order.
std::vector<std::string> OpsOf(const ModelGraph& model) {
  std::vector<std::string> ops;
  for (const torch::jit::Node* node : AllNodes(model.graph())) {
    if (node->kind() != c10::prim::Constant) {
      ops.emplace_back(node->kind().toQualString());
    }
  }
  return ops;
}

TEST(StripObserversTest, TheFloatModelIsLeft) {
  at::manual_seed(2);
  const at::Tensor x = at::randn({2, 3, 9, 9});
  ModelGraph model = OrThrow(Calibrated(kNet, {x}).Clone());
  const auto layers = OrThrow(StripObservers(model));
  ModelGraph expected = FloatModel(kNet);
  EXPECT_EQ(OpsOf(model), OpsOf(expected));
  EXPECT_FALSE(IsPrepared(model.module()));
  EXPECT_EQ(AttachedObservers(model.module()).size(), 0);
  EXPECT_TRUE(OrThrow(model.Run({x}))
                  .toTensor()
                  .equal(OrThrow(expected.Run({x})).toTensor()));
}

TEST(StripObserversTest, LayersAreFoundByTheirIndex) {
  ModelGraph model = Calibrated(kNet, {at::randn({2, 3, 9, 9})});
  const PreparedModel record = OrThrow(AttachedPreparedModel(model.module()));
  const auto layers = OrThrow(StripObservers(model));
  ASSERT_EQ(layers.size(), 2);
  for (const auto& [index, node] : layers) {
    EXPECT_EQ(record.layers.at(static_cast<size_t>(index)).op, "aten::conv2d");
    EXPECT_EQ(node->kind(), c10::Symbol::fromQualString("aten::conv2d"));
  }
  EXPECT_EQ(layers.begin()->second, NodeOf(model.graph(), "aten::conv2d", 0));
}

TEST(StripObserversTest, OtherModelsHaveNone) {
  ModelGraph model = FloatModel(kNet);
  EXPECT_THAT(StripObservers(model).status().message(),
              HasSubstr("the model was not prepared"));
}

}  // namespace
}  // namespace ns
