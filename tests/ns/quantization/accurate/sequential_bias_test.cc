#include "ns/quantization/accurate/sequential_bias.h"

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;

BatchReader ReaderOf(const at::Tensor& x) {
  return BatchReader::FromBatches(BatchesOf({x}));
}

class SequentialBiasTest : public ::testing::Test {
 protected:
  SequentialBiasTest() {
    at::manual_seed(5);
    x_ = at::rand({16, 3, 8, 8}) + 1;
    QConfig qconfig = Int8PerTensorQConfig();
    qconfig.weight.config.quant_min = -4;
    qconfig.weight.config.quant_max = 3;
    options_ = Everywhere(qconfig);
  }

  // How far the means of the outputs' channels are from those in float.
  double MeanError(const std::vector<std::string>& body, bool corrects) const {
    ModelGraph model = FloatModel(body);
    ModelGraph prepared = OrThrow(PrepareModel(model, options_));
    NS_EXPECT_OK(Calibrate(prepared, BatchesOf({x_})));
    LayerCorrections corrections;
    if (corrects) {
      corrections.bias_shifts =
          OrThrow(SequentialBiasShifts(prepared, {}, ReaderOf(x_), {0}));
    }
    QuantizedModel quantized =
        OrThrow(ConvertModel(prepared, options_, corrections));
    const at::Tensor lost = Output(model, x_) - Output(quantized.model, x_);
    return lost.transpose(0, 1).flatten(1).mean(1).abs().max().item<double>();
  }

  // Drawn once the generator has its seed.
  at::Tensor x_;
  QuantizeOptions options_;
};

TEST_F(SequentialBiasTest, MeansOfOutputsComeBackThroughSeveralLayers) {
  const std::vector<std::vector<std::string>> nets = {
      {"y = torch.relu(torch.conv2d(x, self.w2, self.b))",
       "y = torch.relu(torch.conv2d(y, self.w2, None))",
       "return torch.conv2d(y, self.w2, self.b)"},
      {"y = torch.linear(x.transpose(1, 3), self.w, self.b)",
       "return torch.linear(torch.relu(y), self.w).transpose(1, 3)"}};
  for (const auto& net : nets) {
    const double without = MeanError(net, false);
    const double with = MeanError(net, true);
    // What is left is the rounding of the output.
    EXPECT_LT(with, without / 10) << without;
  }
}

TEST_F(SequentialBiasTest, OnlyLayersThatCanBeCorrectedHaveShifts) {
  ModelGraph prepared = OrThrow(
      PrepareModel(FloatModel({"y = torch.conv_transpose2d(x, self.w2, self.b)",
                               "return y + y"}),
                   options_));
  NS_ASSERT_OK(Calibrate(prepared, BatchesOf({x_})));
  int batches = 0;
  EXPECT_THAT(
      OrThrow(SequentialBiasShifts(prepared, {}, ReaderOf(x_), {0},
                                   /*cache=*/nullptr, [&] { ++batches; })),
      IsEmpty());
  EXPECT_EQ(batches, 1);
}

TEST_F(SequentialBiasTest, BatchesThatDoNotFitAreErrors) {
  ModelGraph prepared =
      OrThrow(PrepareModel(FloatModel({"return " + ConvOf("x")}), options_));
  NS_ASSERT_OK(Calibrate(prepared, BatchesOf({x_})));
  EXPECT_FALSE(
      SequentialBiasShifts(prepared, {}, ReaderOf(at::ones({2})), {0}).ok());
  EXPECT_FALSE(
      SequentialBiasShifts(FloatModel({"return x"}), {}, ReaderOf(x_), {0})
          .ok());
}

}  // namespace
}  // namespace ns
