// Quantizes each op on inputs of any rank and layout: whatever the float op
// takes, the quantized model takes, too, and computes about the same.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/quantization/model/target_mapping.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/short_ir.h"

namespace ns {
namespace {

// Calls on %a, a quantized value.
const char* const kCalls[] = {
    "torch.linear(a, self.w, self.b)",
    "torch.relu(torch.linear(a, self.w))",
    "torch.conv1d(a, self.w1, self.b)",
    "torch.relu(torch.conv1d(a, self.w1))",
    "torch.conv2d(a, self.w2, self.b)",
    "torch.conv2d(a, self.w2[:, 0:1], self.b, [1, 1], [0, 0], [1, 1], 3)",
    "torch.relu6(torch.conv2d(a, self.w2, self.b, [2, 2], [1, 1]))",
    "torch.conv3d(a, self.w2.unsqueeze(4), self.b)",
    "torch.conv_transpose1d(a, self.w1, self.b)",
    "torch.conv_transpose2d(a, self.w2, self.b, [2, 2], [1, 1], [1, 1])",
    "torch.conv_transpose3d(a, self.w2.unsqueeze(4), self.b)",
    "a + a",
    "torch.relu(a + 1)",
    "a * a",
    "a * 2.5",
    "a + self.b",
    "a * self.b",
    "torch.matmul(a, a)",
    "torch.relu(torch.matmul(a, self.w))",
    "torch.matmul(self.w, a)",
    "torch.bmm(a, a)",
    "torch.mm(a, a)",
    "torch.cat([a, a], 0)",
    "torch.relu(torch.cat([a, -a], -1))",
    "torch.stack([a, a], 0)",
    "torch.stack([a, a], -1)",
    "torch.elu(a)",
    "torch.celu(a)",
    "torch.leaky_relu(a)",
    "torch.hardswish(a)",
    "torch.hardsigmoid(a)",
    "torch.sigmoid(a)",
    "torch.tanh(a)",
    "torch.relu(a)",
    "torch.relu6(a)",
    "torch.hardtanh(a, -0.5, 0.5)",
    "torch.clamp(a, -0.5, 0.5)",
    "torch.softmax(a, -1)",
    "torch.layer_norm(a, [3], self.gamma, self.beta)",
    "torch.group_norm(a, 3, self.gamma, self.beta)",
    ("torch.batch_norm(a, self.gamma, self.beta, self.b, self.b * self.b + 1, "
     "False, 0.1, 1e-5, False)"),
    "torch.max_pool1d(a, [2])",
    "torch.max_pool2d(a, [2, 2])",
    "torch.max_pool2d(a, [3, 3], [1, 1], [1, 1])",
    "torch.avg_pool1d(a, [2])",
    "torch.avg_pool2d(a, [3, 3], [2, 2], [0, 0], True)",
    "torch.avg_pool2d(a, [3, 3], [1, 1], [1, 1], False, True)",
    "torch.avg_pool3d(a, [2, 2, 2])",
    "torch.adaptive_avg_pool1d(a, [2])",
    "torch.adaptive_avg_pool2d(a, [2, 2])",
    "torch.adaptive_avg_pool3d(a, [1, 1, 1])",
    "torch.mean(a, [-1])",
    "torch.mean(a, [2, 3], True)",
    "torch.flatten(a, 0)",
    "a.view(-1)",
    "a.reshape(-1)",
    "a.transpose(0, -1)",
    "a.t()",
    "a.unsqueeze(-1)",
    "a.squeeze(0)",
    "a[0]",
    "a[..., 0]",
    "a.chunk(3, -1)[1]",
    "a.split(1, 0)[0]",
    "a.unbind(0)[0]",
    "a.repeat([2, 1, 1, 1])",
    "a.repeat_interleave(2, 0)",
    "a.flip([-1])",
    "a.narrow(-1, 0, 1)",
    "a.clone()",
    "a.contiguous()",
    "a.movedim(0, -1)",
    "torch.pixel_shuffle(a.repeat([1, 4, 1, 1]), 2)",
    "torch.pixel_unshuffle(a, 2)",
    "torch.channel_shuffle(a, 3)",
    "torch.constant_pad_nd(a, [1, 1, 2, 0], 0.)",
    "torch.reflection_pad1d(a, [1, 1])",
    "torch.reflection_pad2d(a, [1, 1, 1, 1])",
    "torch.dropout(a, 0.5, False)",
};

std::vector<at::Tensor> Inputs() {
  at::manual_seed(2);
  std::vector<at::Tensor> inputs;
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{},
                                         {3},
                                         {4, 3},
                                         {3, 3},
                                         {3, 8},
                                         {2, 3, 8},
                                         {3, 3, 3},
                                         {2, 3, 6, 6},
                                         {1, 3, 6, 6},
                                         {2, 3, 3, 3},
                                         {3, 4, 4, 4},
                                         {2, 3, 4, 4, 4}}) {
    inputs.push_back(at::randn(sizes));
  }
  inputs.push_back(
      at::randn({2, 3, 6, 6}).contiguous(at::MemoryFormat::ChannelsLast));
  inputs.push_back(at::randn({2, 3, 6, 6}).transpose(2, 3));
  inputs.push_back(at::randn({3, 4}).t());
  inputs.push_back(at::randn({1, 3}).expand({4, 3}));
  return inputs;
}

// Weights of 7 bits: without VNNI, oneDNN's sums saturate with 8.
QConfig WithoutSaturation() {
  QConfig qconfig = Int8PerTensorQConfig();
  qconfig.weight.config = NarrowWeights(qconfig.weight.config);
  return qconfig;
}

// Fails the test unless the quantized model takes `x` as the float one does.
// Returns whether the float one does.
bool ExpectTakes(const std::string& call, const at::Tensor& x,
                 Backend backend) {
  const std::vector<std::string> body = {
      "a = x * 1.25", absl::StrCat("return (", call, ") * 1.5")};
  ModelGraph model = FloatModel(body);
  const absl::StatusOr<c10::IValue> in_float = model.Run({x});
  if (!in_float.ok()) {
    return false;
  }
  SCOPED_TRACE(absl::StrCat(call, " on ", x.dim(), " dimensions, ",
                            BackendName(backend)));
  QuantizeOptions options = Everywhere(WithoutSaturation());
  options.backend = backend;
  QuantizedModel quantized = Quantize(body, {x}, options);
  const absl::StatusOr<c10::IValue> y = quantized.model.Run({x});
  EXPECT_TRUE(y.ok()) << y.status() << "\n" << ShortIr(quantized.model.graph());
  if (y.ok()) {
    const at::Tensor expected = in_float->toTensor();
    EXPECT_EQ(y->toTensor().sizes(), expected.sizes());
    EXPECT_TRUE(y->toTensor().allclose(
        expected, 0.05, 0.05 + 0.02 * expected.abs().max().item<double>()))
        << ShortIr(quantized.model.graph());
  }
  return true;
}

TEST(InputsOfOpsTest, WhatTheFloatOpTakesTheQuantizedModelTakes) {
  for (const char* call : kCalls) {
    int count = 0;
    for (const at::Tensor& x : Inputs()) {
      for (const Backend backend : {Backend::kFbgemm, Backend::kQnnpack}) {
        count += ExpectTakes(call, x, backend) ? 1 : 0;
      }
    }
    EXPECT_GT(count, 0) << call;
  }
}

// Int8 kernels take images with four dimensions alone.
TEST(InputsOfOpsTest, RanksThatOnlyTheFloatOpTakes) {
  for (const Backend backend : {Backend::kFbgemm, Backend::kQnnpack}) {
    EXPECT_TRUE(ExpectTakes("torch.adaptive_avg_pool2d(a, [1, 1])",
                            at::randn({2, 3, 4, 4, 4}), backend));
    EXPECT_TRUE(ExpectTakes("torch.channel_shuffle(a, 3)",
                            at::randn({2, 3, 4, 4, 4}), backend));
    EXPECT_TRUE(ExpectTakes("torch.channel_shuffle(a, 3)", at::randn({2, 3, 8}),
                            backend));
  }
}

}  // namespace
}  // namespace ns
