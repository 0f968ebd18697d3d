#include "ns/quantization/model/noise_warning.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

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

  std::string WarningFor(const ModelGraph& model, int64_t size = 2) {
    const at::Tensor x = at::randn({32, 4});
    x.select(1, 0).zero_();
    std::vector<at::Tensor> inputs;
    for (int64_t i = 0; i < size; ++i) {
      inputs.push_back(x / (i + 1));
    }
    const std::vector<Batch> batches = BatchesOf(inputs);
    const QuantizedModel quantized =
        OrThrow(QuantizeModel(model, batches, options_));
    return NoiseWarning("output has 1.0 dB", model, quantized.model,
                        BatchReader::FromBatches(batches), options_);
  }

  QuantizeOptions options_;
};

// Its weight has one scale, and 3000 is for an input that is always 0.
TEST_F(NoiseWarningTest, NamesTheLayerThatGainsMost) {
  at::Tensor weight = at::randn({4, 4});
  weight[0][0] = 3000;
  EXPECT_THAT(
      WarningFor(OrThrow(ModelGraph::FromModule(MakeModel(
          {{"first", Linear(weight)}, {"second", Linear(at::randn({4, 4}))}},
          {"return self.second.forward(self.first.forward(x))"})))),
      MatchesRegex("the model returns mostly noise: output has 1.0 dB; "
                   "'first' [(]-?[0-9.]+ dB by itself[)] costs most; with "
                   "--keep=first, the worst output has [234][0-9][.][0-9] dB"));
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

TEST_F(NoiseWarningTest, SaysWhereFiguresAreOfTheLastBatches) {
  at::Tensor weight = at::randn({4, 4});
  weight[0][0] = 3000;
  const ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"first", Linear(weight)}, {"second", Linear(at::randn({4, 4}))}},
      {"return self.second.forward(self.first.forward(x))"})));
  EXPECT_THAT(WarningFor(model, 8), Not(HasSubstr("batches")));
  EXPECT_THAT(WarningFor(model, 9), EndsWith(" dB on the last 8 batches"));
}

TEST_F(NoiseWarningTest, SaysThatNoLayerAloneGains) {
  const at::Tensor weight = at::randn({4, 4});
  EXPECT_THAT(WarningFor(OrThrow(ModelGraph::FromModule(
                  MakeModel({{"a", Linear(weight)}, {"b", Linear(weight)}},
                            {"return self.a.forward(x), self.b.forward(x)"})))),
              MatchesRegex(".*; leaving one of the layers with the lowest SQNR "
                           "in float [(]'[ab]', -?[0-9.]+ dB by itself, and 1 "
                           "more[)] gains less than 1 dB; .*"));
}

TEST_F(NoiseWarningTest, NamesNoLayerWithoutFigures) {
  EXPECT_EQ(NoiseWarning("output has 1.0 dB"),
            "the model returns mostly noise: output has 1.0 dB; ns compare "
            "shows which layers lose most");
}

}  // namespace
}  // namespace ns
