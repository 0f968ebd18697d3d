#include "ns/quantization/noise_warning.h"

#include <ATen/ATen.h>

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/modules.h"
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

  std::string WarningFor(const ModelGraph& model) {
    const at::Tensor x = at::randn({32, 4});
    x.select(1, 0).zero_();
    const std::vector<Batch> batches = BatchesOf({x, x / 2});
    const QuantizedModel quantized =
        OrThrow(QuantizeModel(model, batches, options_));
    return NoiseWarning("output has 1.0 dB", model, quantized.model,
                        BatchReader::FromBatches(batches), options_);
  }

  QuantizeOptions options_;
};

// Two linear layers, the first with a weight of `outlier` for an input that is
// always 0.
ModelGraph TwoLayers(double outlier) {
  at::Tensor first = at::randn({4, 4});
  first[0][0] = outlier;
  return OrThrow(ModelGraph::FromModule(
      MakeModule("TwoLayers",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "  y = torch.linear(x, self.first, self.zeros)\n"
                 "  return torch.linear(y, self.second, self.zeros)\n",
                 {{"first", first},
                  {"second", at::randn({4, 4})},
                  {"zeros", at::zeros({4})}})));
}

// Its weight has one scale.
TEST_F(NoiseWarningTest, NamesTheLayerThatGainsMost) {
  EXPECT_THAT(WarningFor(TwoLayers(3000)),
              MatchesRegex("the model returns mostly noise: output has 1.0 dB; "
                           "'linear' [(]-?[0-9.]+ dB by itself[)] loses most; "
                           "with --keep=linear, the worst output has "
                           "[34][0-9][.][0-9] dB"));
}

TEST_F(NoiseWarningTest, SaysWhereAnOutputIsThenExact) {
  at::Tensor weight = at::randn({4, 4});
  weight[0][0] = 3000;
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModule("OneLayer",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "  return torch.linear(x, self.weight, self.zeros)\n",
                 {{"weight", weight}, {"zeros", at::zeros({4})}})));
  EXPECT_THAT(WarningFor(model),
              HasSubstr("with --keep=linear, the worst output is exact"));
}

TEST_F(NoiseWarningTest, SaysThatNoLayerAloneGains) {
  EXPECT_THAT(
      WarningFor(FloatModel({"y = x.narrow(1, 1, 3)",
                             "return torch.linear(y, self.w), torch.linear(y, "
                             "self.w, self.b)"})),
      HasSubstr("; no single layer is to blame: 'linear"));
}

TEST_F(NoiseWarningTest, NamesNoLayerWithoutFigures) {
  EXPECT_EQ(NoiseWarning("output has 1.0 dB"),
            "the model returns mostly noise: output has 1.0 dB; ns compare "
            "shows which layers lose most");
}

}  // namespace
}  // namespace ns
