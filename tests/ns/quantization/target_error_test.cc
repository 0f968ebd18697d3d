#include "ns/quantization/target_error.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ns/quantization/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

TEST(TargetErrorTest, IsThatOfTheWorstOutput) {
  const std::vector<std::string> body = {"return (x * 1.5, x.sum(1) * 0.25)"};
  const at::Tensor x = at::rand({4, 3, 2}) + 1;
  const QuantizeOptions options = Everywhere(Int8PerTensorQConfig());
  ModelGraph model = FloatModel(body);
  QuantizedModel quantized = Quantize(body, {x}, options);
  const auto y = OrThrow(model.Run({x})).toTuple();
  const auto z = OrThrow(quantized.model.Run({x})).toTuple();
  double worst = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < 2; ++i) {
    const at::Tensor in_float = y->elements()[i].toTensor();
    const at::Tensor lost = in_float - z->elements()[i].toTensor();
    worst = std::min(
        worst, 20 * std::log10((in_float.norm() / lost.norm()).item<double>()));
  }
  EXPECT_NEAR(
      OrThrow(WorstOutputDb(model, quantized.model, BatchesOf({x}), options)),
      worst, 1e-3);
}

TEST(TargetErrorTest, OfAModelWithoutOutputsIsNone) {
  const ModelGraph model = FloatModel({"return 3"});
  EXPECT_EQ(
      OrThrow(WorstOutputDb(model, model, BatchesOf({at::ones({1})}), {})),
      std::numeric_limits<double>::infinity());
}

TEST(TargetErrorTest, BatchesThatDoNotFitAreErrors) {
  const ModelGraph model = FloatModel({"return " + ConvOf("x")});
  EXPECT_FALSE(
      WorstOutputDb(model, model, BatchesOf({at::ones({2})}), {}).ok());
}

}  // namespace
}  // namespace ns
