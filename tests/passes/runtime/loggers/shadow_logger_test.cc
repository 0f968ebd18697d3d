#include "passes/runtime/loggers/shadow_logger.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/api/object.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

at::Tensor Quantized(const at::Tensor& x) {
  return at::quantize_per_tensor(x, 0.5, 3, at::kQUInt8);
}

TEST(ShadowLoggerTest, KeepsBothValuesOfEveryCall) {
  ShadowLogger logger;
  logger.Forward(at::zeros({2, 2}), at::ones({2, 2}));
  logger.Forward(at::zeros({3, 2, 2}), at::ones({3, 2, 2}));
  ASSERT_THAT(logger.float_values(), SizeIs(2));
  ASSERT_THAT(logger.quantized_values(), SizeIs(2));
  EXPECT_TRUE(logger.float_values()[1].equal(at::ones({3, 2, 2})));
  EXPECT_TRUE(logger.quantized_values()[1].equal(at::zeros({3, 2, 2})));
}

TEST(ShadowLoggerTest, CutsToFirstSampleWhenAsked) {
  ShadowLogger logger(/*first_sample_only=*/true);
  const at::Tensor batch = at::rand({3, 2});
  const at::Tensor single = at::rand({1, 2});
  logger.Forward(batch, batch);
  logger.Forward(single, at::scalar_tensor(1.0f));
  EXPECT_TRUE(logger.quantized_values()[0].equal(batch[0]));
  EXPECT_TRUE(logger.float_values()[0].equal(batch[0]));
  EXPECT_TRUE(logger.quantized_values()[1].equal(single));
  EXPECT_EQ(logger.float_values()[1].dim(), 0);
}

TEST(ShadowLoggerTest, KeepsCopies) {
  ShadowLogger logger;
  at::Tensor x = at::ones({2});
  logger.Forward(x, x);
  x.zero_();
  EXPECT_TRUE(logger.float_values()[0].equal(at::ones({2})));
  EXPECT_TRUE(logger.quantized_values()[0].equal(at::ones({2})));
}

TEST(ShadowLoggerTest, KeepsQuantizedTensorsQuantizedAndDropsGradients) {
  ShadowLogger logger;
  logger.Forward(Quantized(at::ones({2})), at::ones({2}).requires_grad_());
  EXPECT_EQ(logger.quantized_values()[0].q_zero_point(), 3);
  EXPECT_FALSE(logger.float_values()[0].requires_grad());
}

TEST(ShadowLoggerTest, KeepsNothingWhileDisabledOrOnceCleared) {
  ShadowLogger logger;
  logger.SetEnabled(false);
  logger.Forward(at::ones({2}), at::ones({2}));
  EXPECT_THAT(logger.float_values(), IsEmpty());
  logger.SetEnabled(true);
  logger.Forward(at::ones({2}), at::ones({2}));
  EXPECT_THAT(logger.quantized_values(), SizeIs(1));
  logger.Clear();
  EXPECT_THAT(logger.float_values(), IsEmpty());
  EXPECT_THAT(logger.quantized_values(), IsEmpty());
}

TEST(ShadowLoggerTest, StatsAreADictOfTwoLists) {
  auto logger = c10::make_intrusive<ShadowLogger>();
  torch::jit::Object object(c10::IValue(logger).toObject());
  object.get_method("forward")({Quantized(at::ones({2})), at::zeros({2})});
  const auto stats = object.get_method("get_stats")({}).toGenericDict();
  ASSERT_THAT(stats, SizeIs(2));
  EXPECT_TRUE(stats.at("float").toTensorVector()[0].equal(at::zeros({2})));
  EXPECT_TRUE(stats.at("quantized").toTensorVector()[0].is_quantized());
}

TEST(ShadowLoggerTest, SavesAndLoads) {
  auto logger = c10::make_intrusive<ShadowLogger>(/*first_sample_only=*/true);
  logger->Forward(Quantized(at::ones({1})), at::zeros({1}));
  logger->SetEnabled(false);
  torch::jit::Module module("__torch__.Model");
  const c10::IValue object(logger);
  EXPECT_EQ(object.type()->expect<c10::ClassType>()->name()->qualifiedName(),
            "__torch__.torch.classes.ns.ShadowLogger");
  module.register_attribute("logger", object.type(), object);
  std::stringstream file;
  module.save(file);
  const auto loaded =
      torch::jit::load(file).attr("logger").toCustomClass<ShadowLogger>();
  ASSERT_THAT(loaded->float_values(), SizeIs(1));
  EXPECT_TRUE(loaded->float_values()[0].equal(at::zeros({1})));
  ASSERT_THAT(loaded->quantized_values(), SizeIs(1));
  EXPECT_TRUE(loaded->quantized_values()[0].is_quantized());
  EXPECT_FALSE(loaded->IsEnabled());
  EXPECT_TRUE(loaded->KeepsFirstSampleOnly());
}

TEST(ShadowLoggerTest, LeavesOutUndefinedTensors) {
  ShadowLogger logger(/*first_sample_only=*/true);
  logger.Forward(at::Tensor(), at::Tensor());
  EXPECT_TRUE(logger.float_values().empty());
  EXPECT_TRUE(logger.quantized_values().empty());
}

}  // namespace
}  // namespace ns
