#include "ns/quantization/model/target_error.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/modules.h"
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
  const std::vector<Batch> batches = BatchesOf({x});
  EXPECT_NEAR(
      OrThrow(TargetError(model, batches).WorstDb(quantized.model, options)),
      worst, 1e-3);
}

TEST(TargetErrorTest, OfAModelWithoutOutputsIsNone) {
  const ModelGraph model = FloatModel({"return 3"});
  const std::vector<Batch> batches = BatchesOf({at::ones({1})});
  EXPECT_EQ(OrThrow(TargetError(model, batches).WorstDb(model, {})),
            std::numeric_limits<double>::infinity());
}

TEST(TargetErrorTest, NanIsWorseThanAnyError) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<Batch> batches = BatchesOf({at::rand({4, 3})});
  const auto worst = [&](const char* of_float, const char* of_quantized) {
    const ModelGraph model = FloatModel({of_float});
    return OrThrow(
        TargetError(model, batches).WorstDb(FloatModel({of_quantized}), {}));
  };
  EXPECT_EQ(worst("return x, x", "return x * float('nan'), x * 0.5"),
            -kInfinity);
  EXPECT_EQ(worst("return x, x", "return x[0], x * 0.5"), -kInfinity);
  // What is wrong with the float model says nothing, nor do empty outputs.
  EXPECT_NEAR(worst("return x * float('nan'), x, x[:0]",
                    "return x * float('nan'), x * 0.5, x[:0]"),
              20 * std::log10(2), 1e-3);
}

// The outputs of the float model are kept for the second question.
TEST(TargetErrorTest, BuffersThatAModelReturnsAreKeptAsTheyWere) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModule("Buffered",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "  self.out.copy_(x)\n"
                 "  return self.out\n",
                 {{"out", at::zeros({4})}})));
  const std::vector<Batch> batches =
      BatchesOf({at::rand({4}), at::rand({4}) + 9});
  TargetError error(model, batches);
  const double first = OrThrow(error.WorstDb(model, {}));
  EXPECT_EQ(first, std::numeric_limits<double>::infinity());
  EXPECT_EQ(OrThrow(error.WorstDb(model, {})), first);
}

TEST(TargetErrorTest, BatchesThatDoNotFitAreErrors) {
  const ModelGraph model = FloatModel({"return " + ConvOf("x")});
  const std::vector<Batch> batches = BatchesOf({at::ones({2})});
  EXPECT_FALSE(TargetError(model, batches).WorstDb(model, {}).ok());
}

// The second time, the batch has other values: the outputs of the first ones
// are far from what the quantized model returns then.
TEST(TargetErrorTest, FloatOutputsAreKeptWhereTheyAreSmall) {
  const std::vector<std::string> body = {"return x * 1.5"};
  const at::Tensor x = at::rand({4, 3}) + 1;
  const QuantizeOptions options = Everywhere(Int8PerTensorQConfig());
  const ModelGraph model = FloatModel(body);
  const QuantizedModel quantized = Quantize(body, {x}, options);
  const auto second_db = [&](int64_t most_bytes) {
    const std::vector<Batch> batches = BatchesOf({x.clone(), x.clone()});
    TargetError error(model, batches, most_bytes);
    EXPECT_GT(OrThrow(error.WorstDb(quantized.model, options)), 30);
    for (const Batch& batch : batches) {
      batch.arguments[0].toTensor().mul_(0.5);
    }
    return OrThrow(error.WorstDb(quantized.model, options));
  };
  constexpr int64_t kBytes = 2 * 4 * 3 * 4;
  EXPECT_LT(second_db(kBytes), 10);
  EXPECT_GT(second_db(kBytes - 1), 30);
}

}  // namespace
}  // namespace ns
