// What equalize-layers leaves as it is, and why.
#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/rescale/equalize_layers.h"
#include "tests/passes/quantization/rescale/scaled_nets.h"
#include "tests/testing/ir.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

Attributes Weights() {
  return {
      {"w", ScaledAlong(Normal({6, 3, 3, 3}, 1), 0, SpreadFactors(6, 6, 2))},
      {"b", Normal({6}, 3)},
      {"v", Normal({4, 6, 1, 1}, 4)},
      {"square", Normal({6, 6, 1, 1}, 5)},
      {"features", Normal({5, 6}, 6)},
      {"norm", at::ones({6})}};
}

// A convolution `c` with `body` behind it, which has another one.
void ExpectStays(const std::vector<std::string>& body,
                 const std::string& reason,
                 const Attributes& weights = Weights(),
                 EqualizeLayers::Options options = {}) {
  std::vector<std::string> lines = {"c = torch.conv2d(x, self.w, self.b)"};
  lines.insert(lines.end(), body.begin(), body.end());
  ModelGraph model = NetOf(lines, weights);
  SCOPED_TRACE(body.front());
  const PassRun run = RunPass(EqualizeLayers(std::move(options)), model);
  EXPECT_FALSE(run.changed);
  ASSERT_FALSE(run.remarks.empty());
  EXPECT_EQ(run.remarks.front().op, "aten::conv2d");
  EXPECT_EQ(run.remarks.front().reason, reason);
}

std::vector<std::string> Behind(const std::string& between) {
  return {"return torch.conv2d(" + between + ", self.v, None)"};
}

TEST(EqualizeLayersRefusalsTest, StaysInFrontOfOtherOps) {
  for (const auto& [between, op] :
       std::vector<std::pair<std::string, std::string>>{
           {"torch.gelu(c)", "gelu"},
           {"torch.sigmoid(c)", "sigmoid"},
           {"torch.hardswish(c)", "hardswish"},
           {"c + 1.0", "add"},
           {"torch.constant_pad_nd(c, [1, 1], 2)", "constant_pad_nd"},
           {"torch.dropout(c, 0.5, True)", "dropout"},
           {"torch.permute(c, [0, 1, 3, 2])", "permute"},
           {"torch.hardtanh(c, -1., 1.)", "hardtanh"},
           {"torch.clamp(c, None, 6)", "clamp"},
           {"torch.softmax(c, 1)", "softmax"}}) {
    ExpectStays(Behind(between), "aten::" + op + " stands between");
  }
}

TEST(EqualizeLayersRefusalsTest, StaysWhereChannelsAreMixed) {
  ExpectStays(Behind("torch.flatten(c, 2).unsqueeze(2)"),
              "aten::flatten stands between, and mixes channels with other "
              "dimensions");
  ExpectStays(Behind("torch.mean(c, [1], True)"),
              "aten::mean stands between, and may not be over space alone");
  ExpectStays(Behind("c.view([1, 6, -1, 2])"),
              "aten::view stands between, and only a run tells where it puts "
              "channels");
  // On the rows of an image.
  ExpectStays({"return torch.linear(torch.relu(c), self.features, None)"},
              "aten::linear behind it takes its channels for something else");
}

TEST(EqualizeLayersRefusalsTest, StaysWhereItsValuesAreReadTwice) {
  ExpectStays({"return torch.conv2d(c, self.square, None) + c"},
              "its values are read by aten::conv2d and by aten::add");
  ExpectStays(
      {"y = torch.relu(c)", "return (torch.conv2d(y, self.v, None), y)"},
      "its values go into a tuple or a list");
  ExpectStays({"return torch.relu(c)"},
              "its values are an output of the model");
  ExpectStays({"y = c", "if x.size(0) > 1:",
               "  y = torch.conv2d(c, self.square, None)", "return y"},
              "its values are read inside of control flow");
}

TEST(EqualizeLayersRefusalsTest, StaysWhereABatchNormIs) {
  ExpectStays(Behind("torch.batch_norm(c, self.norm, self.norm, self.norm, "
                     "self.norm, False, 0.1, 1e-5, False)"),
              "a batch norm is behind it; fold batch norms first");
}

TEST(EqualizeLayersRefusalsTest, StaysWhereWeightsAreNotConstant) {
  ExpectStays(
      {"return torch.conv2d(c, x[0:4, 0:1].expand([4, 6, 1, 1]), None)"},
      "aten::conv2d behind it: its weight is not constant");
}

TEST(EqualizeLayersRefusalsTest, StaysWhereAWeightIsUsedElsewhere) {
  ExpectStays({"d = torch.conv2d(c, self.square, None)",
               "return torch.conv2d(torch.gelu(d), self.square, None)"},
              "aten::conv2d behind it: its weight is used elsewhere, too");
}

TEST(EqualizeLayersRefusalsTest, StaysWhereTypesAreNotFloat) {
  Attributes weights = Weights();
  for (auto& [name, tensor] : weights) {
    tensor = tensor.toTensor().to(at::kHalf);
  }
  ExpectStays(Behind("torch.relu(c)"), "its weight is of type Half", weights);
}

TEST(EqualizeLayersRefusalsTest, StaysWhereAWeightIsNotFinite) {
  Attributes weights = Weights();
  weights[0].second.toTensor()[0][0][0][0].fill_(NAN);
  ExpectStays(Behind("torch.relu(c)"),
              "its weight has values that are not finite", weights);
}

TEST(EqualizeLayersRefusalsTest, StaysWhereClampsCannotBeCrossed) {
  EqualizeLayers::Options options;
  options.clamps = EqualizeLayers::Clamps::kKeep;
  ExpectStays(Behind("torch.relu6(c)"),
              "a clamp is behind it, whose input is not known", Weights(),
              options);
  ExpectStays(Behind("torch.relu6(torch.hardtanh(c, 0., 2.))"),
              "two clamps are behind it");
}

// Layers without channels, and with weights that do not fit what they take.
TEST(EqualizeLayersRefusalsTest, StaysWhereNothingFits) {
  Attributes weights = Weights();
  weights[2].second = at::zeros({0, 6, 1, 1});
  ExpectStays(Behind("torch.relu(c)"),
              "aten::conv2d behind it: its weight has no channels to scale",
              weights);
  weights[2].second = Normal({4, 5, 1, 1}, 1);
  ExpectStays(Behind("torch.relu(c)"),
              "aten::conv2d behind it takes another number of channels",
              weights);
  weights[0].second = Normal({6}, 1);
  ExpectStays(Behind("torch.relu(c)"), "its weight has no channels to scale",
              weights);
}

TEST(EqualizeLayersRefusalsTest, TakesFloat64AndWeightsWithGaps) {
  Attributes weights = Weights();
  for (auto& [name, tensor] : weights) {
    tensor = tensor.toTensor().to(at::kDouble);
  }
  weights[2].second = Normal({6, 4, 1, 1}, 4).to(at::kDouble).transpose(0, 1);
  ModelGraph model = NetOf({"c = torch.conv2d(x, self.w, self.b)",
                            "return torch.conv2d(torch.relu(c), self.v, None)"},
                           weights);
  const ModelGraph before = OrThrow(model.Clone());
  EXPECT_TRUE(RunPass(EqualizeLayers(), model).changed);
  EXPECT_EQ(ConstantOfCall(model, "aten::conv2d", 1, "weight").scalar_type(),
            at::kDouble);
  ExpectSameOutputs(before, model, Normal({2, 3, 5, 5}, 7).to(at::kDouble));
}

// Freezing makes one constant of equal biases.
TEST(EqualizeLayersRefusalsTest, ASharedBiasIsCopied) {
  ModelGraph model = NetOf({"c = torch.relu(torch.conv2d(x, self.w, self.b))",
                            "return torch.conv2d(c, self.square, self.b)"},
                           Weights());
  const ModelGraph before = OrThrow(model.Clone());
  EXPECT_TRUE(RunPass(EqualizeLayers(), model).changed);
  EXPECT_TRUE(
      ConstantOfCall(model, "aten::conv2d", 1, "bias").equal(Normal({6}, 3)));
  ExpectSameOutputs(before, model, Normal({2, 3, 5, 5}, 7));
}

}  // namespace
}  // namespace ns
