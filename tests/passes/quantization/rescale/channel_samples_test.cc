#include "passes/quantization/rescale/channel_samples.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/passes/quantization/rescale/scaled_nets.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

ModelGraph Net() {
  return NetOf({"c = torch.relu(torch.conv2d(x, self.w, None))",
                "return torch.linear(torch.mean(c, [2, 3]), self.v, None)"},
               {{"w", Normal({6, 3, 1, 1}, 1)}, {"v", Normal({4, 6}, 2)}});
}

ChannelSamples Sampled(const ModelGraph& model,
                       at::ArrayRef<at::Tensor> batches,
                       const ChannelSamplerOptions& options = {}) {
  ChannelSampler sampler = OrThrow(ChannelSampler::Create(model, options));
  for (const at::Tensor& batch : batches) {
    NS_EXPECT_OK(sampler.Run({batch}));
  }
  return sampler.samples();
}

TEST(ChannelSamplesTest, HasInputsAndOutputsOfLayers) {
  const ModelGraph model = Net();
  const std::string text = ShortIr(model.graph());
  const at::Tensor x = Normal({5, 3, 4, 4}, 3);
  const at::Tensor y = Normal({7, 3, 2, 2}, 4);
  const ChannelSamples samples = Sampled(model, {x, y});
  const at::Tensor w = Normal({6, 3, 1, 1}, 1);
  const at::Tensor v = Normal({4, 6}, 2);
  const auto means = [&](const at::Tensor& batch) {
    return at::conv2d(batch, w).relu().mean({2, 3});
  };
  // All rows are kept, in any order.
  const at::Tensor inputs = at::cat({means(x), means(y)});
  ASSERT_EQ(samples.inputs.size(), 1);
  const ChannelSample& input = samples.inputs.at("linear");
  ASSERT_EQ(input.rows.sizes(), inputs.sizes());
  EXPECT_TRUE(
      std::get<0>(input.rows.sort(0)).equal(std::get<0>(inputs.sort(0))));
  EXPECT_TRUE(input.largest.equal(inputs.abs().amax(0)));
  // Behind the relu.
  const ChannelSample& conv = samples.outputs.at("conv2d");
  EXPECT_FALSE(conv.rows.defined());
  EXPECT_TRUE(
      conv.largest.equal(at::maximum(at::conv2d(x, w).relu().amax({0, 2, 3}),
                                     at::conv2d(y, w).relu().amax({0, 2, 3}))));
  EXPECT_TRUE(samples.outputs.at("linear").largest.equal(
      inputs.matmul(v.t()).abs().amax(0)));
  EXPECT_EQ(ShortIr(model.graph()), text);
}

TEST(ChannelSamplesTest, KeepsSomeRowsOfManyBatches) {
  ModelGraph model =
      NetOf({"return torch.linear(x, self.v, None)"}, {{"v", at::eye(2)}});
  ChannelSamplerOptions options;
  options.most_rows = 200;
  ChannelSampler sampler = OrThrow(ChannelSampler::Create(model, options));
  for (int batch = 0; batch < 10; ++batch) {
    NS_ASSERT_OK(sampler.Run({at::full({100, 2}, batch, at::kFloat)}));
  }
  const ChannelSample sample = sampler.samples().inputs.at("linear");
  ASSERT_EQ(sample.rows.size(0), 200);
  // About 20 of each batch.
  for (int batch = 0; batch < 10; ++batch) {
    const int64_t rows =
        sample.rows.select(1, 0).eq(batch).sum().item<int64_t>();
    EXPECT_GT(rows, 5) << batch;
    EXPECT_LT(rows, 45) << batch;
  }
  EXPECT_TRUE(sample.largest.equal(at::full({2}, 9, at::kFloat)));
}

TEST(ChannelSamplesTest, TakesTheLayersThatItIsToldTo) {
  ChannelSamplerOptions options;
  options.takes_input = [](const std::string&) { return false; };
  options.takes_output = [](const std::string& layer) {
    return layer == "linear";
  };
  const ChannelSamples samples =
      Sampled(Net(), {Normal({5, 3, 4, 4}, 3)}, options);
  EXPECT_THAT(samples.inputs, IsEmpty());
  EXPECT_EQ(samples.outputs.size(), 1);
}

TEST(ChannelSamplesTest, RowsThatAreNotFiniteDoNotCount) {
  ModelGraph model =
      NetOf({"return torch.linear(x, self.v, None)"}, {{"v", at::eye(2)}});
  const at::Tensor x =
      at::tensor({1.0F, 2.0F, NAN, 9.0F, 3.0F, INFINITY}).reshape({3, 2});
  const ChannelSample sample =
      Sampled(model, {x, at::full({1, 2}, NAN), at::zeros({0, 2})})
          .inputs.at("linear");
  EXPECT_TRUE(sample.rows.equal(at::tensor({1.0F, 2.0F}).reshape({1, 2})));
  EXPECT_TRUE(sample.largest.equal(at::tensor({1.0F, 2.0F})));
}

// Of what does not run there is nothing; of what runs twice, both.
TEST(ChannelSamplesTest, GoesIntoControlFlow) {
  ModelGraph model =
      NetOf({"for i in range(x.size(0)):", "  if i > 0:",
             "    x = torch.linear(x, self.v, None)", "return x"},
            {{"v", 2 * at::eye(2)}});
  EXPECT_THAT(Sampled(model, {at::ones({1, 2})}).inputs, IsEmpty());
  const ChannelSample sample =
      Sampled(model, {at::ones({3, 2})}).inputs.at("linear");
  EXPECT_EQ(sample.rows.size(0), 6);
  EXPECT_TRUE(sample.largest.equal(at::full({2}, 2.0F)));
}

TEST(ChannelSamplesTest, TheModelsErrorsAreThoseOfARun) {
  ChannelSampler sampler = OrThrow(ChannelSampler::Create(Net()));
  const absl::Status run = sampler.Run({at::ones({2, 5, 4, 4})});
  EXPECT_THAT(std::string(run.message()), HasSubstr("running 'forward'"));
  EXPECT_THAT(sampler.samples().inputs, IsEmpty());
}

}  // namespace
}  // namespace ns
