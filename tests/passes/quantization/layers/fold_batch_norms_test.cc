#include "passes/quantization/layers/fold_batch_norms.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr char kNorm[] =
    "torch.batch_norm(c, self.gamma, self.beta, self.mean, self.variance, "
    "False, 0.1, 1e-5, False)";

// A layer, "torch.conv2d(x, self.w, self.b)", and what follows it as `c`.
ModelGraph ModelOf(const std::string& layer, const at::Tensor& weight,
                   const c10::IValue& bias, int64_t channels,
                   const std::string& rest = absl::StrCat("return ", kNorm)) {
  at::manual_seed(3);
  return OrThrow(ModelGraph::FromModule(
      MakeModule("M",
                 absl::StrCat("def forward(self, x: Tensor):\n  c = ", layer,
                              "\n  ", rest, "\n"),
                 {{"w", weight},
                  {"b", bias},
                  {"gamma", at::randn({channels})},
                  {"beta", at::randn({channels})},
                  {"mean", at::randn({channels})},
                  {"variance", at::rand({channels}) + 0.1}})));
}

// Fails the test unless the norm is folded and nothing changes.
void ExpectFolded(ModelGraph model, const at::Tensor& x) {
  const at::Tensor before = OrThrow(model.Run({x})).toTensor();
  const PassRun run = RunPass(FoldBatchNorms(), model);
  EXPECT_TRUE(run.changed);
  EXPECT_TRUE(run.remarks.empty());
  EXPECT_TRUE(NodesOf(model.graph(), "aten::batch_norm").empty());
  const at::Tensor after = OrThrow(model.Run({x})).toTensor();
  EXPECT_TRUE(after.allclose(before, 1e-4, 1e-4))
      << (after - before).abs().max();
}

void ExpectStays(ModelGraph model, absl::string_view reason) {
  const PassRun run = RunPass(FoldBatchNorms(), model);
  EXPECT_FALSE(run.changed);
  ASSERT_EQ(run.remarks.size(), 1);
  EXPECT_EQ(run.remarks[0].op, "aten::batch_norm");
  EXPECT_EQ(run.remarks[0].reason, reason);
}

TEST(FoldBatchNormsTest, FoldsIntoConvolutionsOfAnyDimension) {
  ExpectFolded(ModelOf("torch.conv1d(x, self.w, self.b)", at::randn({4, 3, 3}),
                       at::randn({4}), 4),
               at::randn({2, 3, 8}));
  ExpectFolded(ModelOf("torch.conv2d(x, self.w, self.b)",
                       at::randn({4, 3, 3, 3}), at::randn({4}), 4),
               at::randn({2, 3, 8, 8}));
  ExpectFolded(ModelOf("torch.conv3d(x, self.w, self.b)",
                       at::randn({4, 3, 2, 2, 2}), at::randn({4}), 4),
               at::randn({2, 3, 4, 4, 4}));
}

TEST(FoldBatchNormsTest, FoldsIntoGroups) {
  ExpectFolded(
      ModelOf("torch.conv2d(x, self.w, self.b, [1, 1], [0, 0], [1, 1], 2)",
              at::randn({6, 2, 3, 3}), at::randn({6}), 6),
      at::randn({2, 4, 8, 8}));
}

TEST(FoldBatchNormsTest, FoldsIntoTransposedConvolutionsWithGroups) {
  ExpectFolded(ModelOf("torch.conv_transpose2d(x, self.w, self.b, [2, 2], "
                       "[0, 0], [0, 0], 2, [1, 1])",
                       at::randn({4, 3, 3, 3}), at::randn({6}), 6),
               at::randn({2, 4, 5, 5}));
  ExpectFolded(ModelOf("torch.conv_transpose1d(x, self.w, self.b)",
                       at::randn({4, 3, 3}), at::randn({3}), 3),
               at::randn({2, 4, 5}));
}

TEST(FoldBatchNormsTest, FoldsIntoWhatTracingMakesOfConvolutions) {
  ExpectFolded(
      ModelOf("torch._convolution(x, self.w, self.b, [2, 2], [0, 0], [1, 1], "
              "True, [0, 0], 2, False, False, True, True)",
              at::randn({4, 3, 3, 3}), at::randn({6}), 6),
      at::randn({2, 4, 5, 5}));
}

TEST(FoldBatchNormsTest, FoldsIntoLinear) {
  ExpectFolded(ModelOf("torch.linear(x, self.w, self.b)", at::randn({4, 3}),
                       at::randn({4}), 4),
               at::randn({5, 3}));
}

TEST(FoldBatchNormsTest, ALayerWithoutBiasGetsOne) {
  ExpectFolded(ModelOf("torch.conv2d(x, self.w, None)", at::randn({4, 3, 3, 3}),
                       c10::IValue(), 4),
               at::randn({2, 3, 8, 8}));
}

TEST(FoldBatchNormsTest, FoldsInArms) {
  ExpectFolded(ModelOf("torch.conv2d(x, self.w, self.b)",
                       at::randn({4, 3, 3, 3}), at::randn({4}), 4,
                       absl::StrCat("if x.size(0) > 1:\n    c = torch.conv2d(x,"
                                    " self.w, self.b)\n    c = ",
                                    kNorm, "\n  return c")),
               at::randn({2, 3, 8, 8}));
}

// prepare_fx fuses the norm with the relu there, and with nothing else.
TEST(FoldBatchNormsTest, CompatLeavesNormsBetweenTransposedConvsAndRelus) {
  const auto norms_left = [](const std::string& layer, const std::string& rest,
                             bool compat) {
    ModelGraph model =
        ModelOf(layer, at::randn({4, 4, 3, 3}), at::randn({4}), 4, rest);
    FoldBatchNorms::Options options;
    options.compat = compat;
    RunPass(FoldBatchNorms(options), model);
    return NodesOf(model.graph(), "aten::batch_norm").size();
  };
  const std::string relu = absl::StrCat("return torch.relu(", kNorm, ")");
  const std::string norm = absl::StrCat("return ", kNorm);
  const std::string conv = "torch.conv2d(x, self.w, self.b)";
  const std::string transposed = "torch.conv_transpose2d(x, self.w, self.b)";
  EXPECT_EQ(norms_left(transposed, relu, true), 1);
  EXPECT_EQ(norms_left(transposed, relu, false), 0);
  EXPECT_EQ(norms_left(transposed, norm, true), 0);
  EXPECT_EQ(norms_left(conv, relu, true), 0);
}

TEST(FoldBatchNormsTest, StaysWhereTheLayerIsUsedElsewhere) {
  ExpectStays(
      ModelOf("torch.conv2d(x, self.w, self.b)", at::randn({4, 3, 3, 3}),
              at::randn({4}), 4, absl::StrCat("return c + ", kNorm)),
      "what it normalizes is used elsewhere, too");
}

TEST(FoldBatchNormsTest, StaysBehindAnotherOp) {
  ExpectStays(
      ModelOf("torch.relu(x)", at::randn({4, 3, 3, 3}), at::randn({4}), 4),
      "no convolution or linear layer is in front of it");
}

TEST(FoldBatchNormsTest, StaysInTraining) {
  ExpectStays(
      ModelOf("torch.conv2d(x, self.w, self.b)", at::randn({4, 3, 3, 3}),
              at::randn({4}), 4,
              "return torch.batch_norm(c, self.gamma, self.beta, self.mean, "
              "self.variance, True, 0.1, 1e-5, False)"),
      "it computes its statistics itself, as in training");
}

TEST(FoldBatchNormsTest, StaysWhereTheWeightIsComputed) {
  ExpectStays(ModelOf("torch.conv2d(x, x[0:4, :, 0:3, 0:3], self.b)",
                      at::randn({4, 3, 3, 3}), at::randn({4}), 4),
              "the layer's weight is not constant");
}

TEST(FoldBatchNormsTest, StaysWhereChannelsDoNotFit) {
  ExpectStays(ModelOf("torch.linear(x, self.w, self.b)", at::randn({4, 3}),
                      at::randn({4}), 1),
              "its channels are not those of the layer");
}

}  // namespace
}  // namespace ns
