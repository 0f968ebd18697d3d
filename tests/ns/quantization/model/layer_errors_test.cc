#include "ns/quantization/model/layer_errors.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// Quantized, the first convolution is a conv2d_relu, and the second the first
// conv2d.
TEST(LayerErrorsTest, NamesAreThoseOfTheFloatModel) {
  at::manual_seed(1);
  const std::vector<std::string> net = {
      absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
      absl::StrCat("return ", ConvOf("y"))};
  const std::vector<at::Tensor> batches = {at::randn({2, 3, 8, 8})};
  QuantizeOptions options;
  options.keep = {"conv2d@1"};
  const QuantizedModel first = Quantize(net, batches, options);
  options.keep = {};
  const QuantizedModel both = Quantize(net, batches, options);
  const auto errors =
      OrThrow(LayerErrors(FloatModel(net), both.model, BatchesOf(batches)));
  ASSERT_EQ(errors.size(), 2);
  EXPECT_GT(errors.at("conv2d"), 30);
  EXPECT_GT(errors.at("conv2d@1"), 30);
  // What the second convolution loses is not told of the first one.
  const auto of_first =
      OrThrow(LayerErrors(FloatModel(net), first.model, BatchesOf(batches)));
  EXPECT_NEAR(of_first.at("conv2d"), errors.at("conv2d"), 1e-6);
  EXPECT_GT(of_first.at("conv2d@1"), 100);
}

// The convolution has the range of what the clamp lets through: what is beyond
// that is no error.
TEST(LayerErrorsTest, WhatAClampCutsOffIsNoError) {
  at::manual_seed(1);
  const std::vector<std::string> net = {
      absl::StrCat("return torch.hardtanh(", ConvOf("x"), ", 0., 0.2)")};
  const std::vector<at::Tensor> batches = {at::randn({2, 3, 8, 8})};
  const QuantizedModel quantized = Quantize(net, batches);
  ASSERT_LT(quantized.report.layers[0].output->max, 0.5);
  const auto errors = OrThrow(
      LayerErrors(FloatModel(net), quantized.model, BatchesOf(batches)));
  EXPECT_GT(errors.at("conv2d"), 25);
}

}  // namespace
}  // namespace ns
