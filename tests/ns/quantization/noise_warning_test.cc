#include "ns/quantization/noise_warning.h"

#include <ATen/ATen.h>

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(NoisyOutputTest, IsTheWorstOfThoseThatCount) {
  EXPECT_EQ(NoisyOutput({}), "");
  EXPECT_EQ(NoisyOutput({{"output", 10.1, false}}), "");
  EXPECT_EQ(NoisyOutput({{"output[0]", 9.96, false},
                         {"output[1]", -1.25, false},
                         {"output[2]", 3, false}}),
            "output[1] has -1.2 dB");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(NoisyOutput({{"output[0]", nan, false}, {"output[1]", 0, true}}),
            "");
}

class NoiseWarningTest : public ::testing::Test {
 protected:
  NoiseWarningTest() {
    at::manual_seed(1);
    options_.mode = QuantizeMode::kDynamic;
  }

  std::string WarningFor(const std::vector<std::string>& body) {
    const std::vector<Batch> batches =
        BatchesOf({at::randn({32, 3}), at::randn({32, 3})});
    const ModelGraph model = FloatModel(body);
    const QuantizedModel quantized =
        OrThrow(QuantizeModel(model, batches, options_));
    return NoiseWarning("output has 1.0 dB", model, quantized.model,
                        BatchReader::FromBatches(batches), options_);
  }

  QuantizeOptions options_;
};

// The second layer takes a value of 1e4 beside the others, and weighs it 0.
TEST_F(NoiseWarningTest, NamesTheLayerThatGainsMost) {
  EXPECT_THAT(
      WarningFor(
          {absl::StrCat("y = ", LinearOf("x")),
           "y = y + torch.tensor([1e4, 0.0, 0.0])",
           "return torch.linear(y, self.w * torch.tensor([0.0, 1, 1]))"}),
      MatchesRegex("the model returns mostly noise: output has 1.0 dB; "
                   "'linear@1' [(]-?[0-9.]+ dB by itself[)] loses most; with "
                   "--keep=linear@1, the worst output has [0-9.]+ dB"));
}

TEST_F(NoiseWarningTest, SaysThatNoLayerAloneGains) {
  EXPECT_THAT(WarningFor({absl::StrCat("return ", LinearOf("x"), ", ",
                                       "torch.linear(x, self.w)")}),
              HasSubstr("; no single layer is to blame: 'linear"));
}

TEST_F(NoiseWarningTest, NamesNoLayerWithoutFigures) {
  EXPECT_EQ(NoiseWarning("output has 1.0 dB"),
            "the model returns mostly noise: output has 1.0 dB; ns compare "
            "shows which layers lose most");
}

}  // namespace
}  // namespace ns
