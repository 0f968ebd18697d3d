#include "ns/quantization/model/find_unbalanced_parts.h"

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class FindUnbalancedPartsTest : public ::testing::Test {
 protected:
  FindUnbalancedPartsTest() {
    at::manual_seed(1);
    x_ = at::rand({64, 3}) * 2 - 1;
  }

  // Of the model whose lines are a linear layer, %a, and `body`.
  QuantizedModel QuantizedOf(const std::vector<std::string>& body,
                             const QuantizeOptions& options =
                                 Everywhere(Int8PerTensorQConfig())) const {
    return Quantize(LinesOf(body), {x_, x_ / 2}, options);
  }

  // The scales of the inputs of the last layer, and that of its output.
  static std::vector<double> ScalesOfLast(const QuantizedModel& quantized) {
    const LayerQuantization& last = quantized.report.layers.back();
    std::vector<double> scales;
    for (const ValueQuantization& input : last.inputs) {
      scales.push_back(input.scale);
    }
    scales.push_back(last.output->scale);
    return scales;
  }

  static std::vector<std::string> LinesOf(std::vector<std::string> body) {
    body.insert(body.begin(), absl::StrCat("a = ", LinearOf("x")));
    return body;
  }

  at::Tensor x_;
};

TEST_F(FindUnbalancedPartsTest, PartsThatWouldBeLostKeepTheirOpInFloat) {
  QuantizedModel quantized =
      QuantizedOf({"return torch.cat([a * 640.0, torch.sigmoid(a)], 1)"});
  EXPECT_THAT(
      StayedFloat(quantized),
      ElementsAre(MatchesRegex(
          "cat: the range of all its inputs needs steps of [0-9.]+, at which "
          "input 2 of 2, with values from 0[.][0-9]+ to 0[.][0-9]+, would have "
          "-?[0-9.]+ dB")));
  const at::Tensor scores = Output(quantized.model, x_).narrow(1, 3, 3);
  EXPECT_GT((scores > 0.1).sum().item<int64_t>(), scores.numel() * 9 / 10);
}

TEST_F(FindUnbalancedPartsTest, StacksToo) {
  EXPECT_THAT(StayedFloat(QuantizedOf({"return torch.stack([a * 50.0, a])"})),
              ElementsAre(StartsWith("stack: the range of all its inputs")));
}

TEST_F(FindUnbalancedPartsTest, InputsOfLikeRangesShareOne) {
  const QuantizedModel quantized =
      QuantizedOf({"return torch.cat([a, a * 2.0, torch.zeros_like(a)], 1)"});
  EXPECT_THAT(StayedFloat(quantized), IsEmpty());
  const std::vector<double> scales = ScalesOfLast(quantized);
  EXPECT_EQ(scales.front(), scales.back());
  EXPECT_EQ(scales[1], scales.back());
}

TEST_F(FindUnbalancedPartsTest, SmallerInputsThatSurviveKeepTheirRange) {
  QuantizedModel quantized = QuantizedOf({"return torch.cat([a, a * 8.0], 1)"});
  EXPECT_THAT(StayedFloat(quantized), IsEmpty());
  const std::vector<double> scales = ScalesOfLast(quantized);
  EXPECT_NEAR(scales[1] / scales[0], 8, 0.5);
  EXPECT_NEAR(scales[2] / scales[1], 1, 0.1);
  // It still runs in int8.
  EXPECT_EQ(quantized.report.layers.back().name, "cat");
}

// Two concatenations that share an input share their scale with it. Each is
// judged by its own inputs.
TEST_F(FindUnbalancedPartsTest, OthersThatShareTheRangeDoNotCount) {
  const QuantizedModel quantized =
      QuantizedOf({"b = a * 10.0", "c = a * 100.0",
                   "return torch.cat([a, b], 1), torch.cat([b, c], 1)"});
  EXPECT_THAT(StayedFloat(quantized), IsEmpty());
}

TEST_F(FindUnbalancedPartsTest, WhatHoldsTheirPartsStaysInFloat) {
  const QuantizedModel quantized =
      QuantizedOf({"c = torch.cat([a * 640.0, torch.sigmoid(a)], 1)",
                   "d = torch.relu(c.view([-1, 2, 3])) + 1.0",
                   "return torch.stack([d, d]), torch.linear(d, self.w)"});
  const std::string reason =
      "one scale would lose parts of its input, which cat put together";
  EXPECT_THAT(
      StayedFloat(quantized),
      ElementsAre(StartsWith("cat: the range of all its inputs"),
                  "relu: " + reason, "add: " + reason, "stack: " + reason));
  EXPECT_EQ(quantized.report.layers.back().name, "linear@1");
}

// A sum with another activation has ranges of its own.
TEST_F(FindUnbalancedPartsTest, ResidualSumsEndThem) {
  const QuantizedModel quantized =
      QuantizedOf({"c = torch.cat([a * 640.0, torch.sigmoid(a)], 1)",
                   "d = c + torch.cat([a, a], 1)", "return d * 2.0"});
  const std::vector<std::string> stayed_float = StayedFloat(quantized);
  ASSERT_EQ(stayed_float.size(), 2);
  EXPECT_THAT(stayed_float[1], StartsWith("add: one scale would lose parts"));
}

TEST_F(FindUnbalancedPartsTest, ThroughControlFlow) {
  const QuantizedModel quantized = QuantizedOf(
      {"c = torch.cat([a * 640.0, torch.sigmoid(a)], 1)",
       "if x.size(0) > 3:", "  c = c * 2.0",
       "for i in range(x.size(0)):", "  c = c + 1.0", "return c * 0.5"});
  EXPECT_EQ(StayedFloat(quantized).size(), 4);
}

TEST_F(FindUnbalancedPartsTest, CompatDoesAsPyTorchDoes) {
  QuantizeOptions options;
  options.compat = true;
  const QuantizedModel quantized =
      QuantizedOf({"return torch.cat([a * 640.0, torch.relu(a)], 1)"}, options);
  EXPECT_THAT(StayedFloat(quantized), IsEmpty());
}

TEST_F(FindUnbalancedPartsTest, ModelsWithoutConcatenationsDoNotRun) {
  const ModelGraph prepared =
      OrThrow(PrepareModel(FloatModel({"return a * 2"}, "a: Tensor"),
                           Everywhere(Int8PerTensorQConfig())));
  // The batch does not fit.
  const BatchReader batches =
      BatchReader::FromBatches({Batch{{c10::IValue(1.0), c10::IValue(2)}, {}}});
  EXPECT_TRUE(OrThrow(FindUnbalancedParts(prepared, batches)).empty());
}

}  // namespace
}  // namespace ns
