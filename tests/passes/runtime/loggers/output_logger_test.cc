#include "passes/runtime/loggers/output_logger.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(OutputLoggerTest, ReturnsItsValue) {
  OutputLogger logger;
  const at::Tensor x = at::ones({2});
  EXPECT_TRUE(logger.Forward(x).is_same(x));
}

TEST(OutputLoggerTest, KeepsOneTensorACall) {
  OutputLogger logger;
  logger.Forward(at::ones({2}));
  logger.Forward(at::zeros({3}));
  ASSERT_THAT(logger.Stats(), SizeIs(2));
  EXPECT_TRUE(logger.Stats()[0].equal(at::ones({2})));
  EXPECT_TRUE(logger.Stats()[1].equal(at::zeros({3})));
}

TEST(OutputLoggerTest, KeepsACopy) {
  OutputLogger logger;
  at::Tensor x = at::ones({2});
  logger.Forward(x);
  x.zero_();
  EXPECT_TRUE(logger.Stats()[0].equal(at::ones({2})));
}

TEST(OutputLoggerTest, KeepsLayoutAndDtype) {
  OutputLogger logger;
  logger.Forward(at::rand({1, 3, 4, 4})
                     .contiguous(at::MemoryFormat::ChannelsLast)
                     .to(at::kHalf));
  EXPECT_TRUE(logger.Stats()[0].is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_EQ(logger.Stats()[0].scalar_type(), at::kHalf);
}

TEST(OutputLoggerTest, KeepsQuantizedTensorsQuantized) {
  OutputLogger logger;
  logger.Forward(at::quantize_per_tensor(at::ones({2}), 0.5, 3, at::kQUInt8));
  EXPECT_TRUE(logger.Stats()[0].is_quantized());
  EXPECT_EQ(logger.Stats()[0].q_zero_point(), 3);
}

TEST(OutputLoggerTest, DropsGradients) {
  OutputLogger logger;
  logger.Forward(at::ones({2}).requires_grad_());
  EXPECT_FALSE(logger.Stats()[0].requires_grad());
}

TEST(OutputLoggerTest, KeepsNothingWhileDisabled) {
  OutputLogger logger;
  logger.SetEnabled(false);
  const at::Tensor x = at::ones({2});
  EXPECT_TRUE(logger.Forward(x).is_same(x));
  EXPECT_THAT(logger.Stats(), IsEmpty());
  logger.SetEnabled(true);
  logger.Forward(x);
  EXPECT_THAT(logger.Stats(), SizeIs(1));
}

TEST(OutputLoggerTest, ClearForgets) {
  OutputLogger logger;
  logger.Forward(at::ones({2}));
  logger.Clear();
  EXPECT_THAT(logger.Stats(), IsEmpty());
}

TEST(OutputLoggerTest, IsATorchClass) {
  const c10::IValue logger(c10::make_intrusive<OutputLogger>());
  EXPECT_EQ(logger.type()->expect<c10::ClassType>()->name()->qualifiedName(),
            "__torch__.torch.classes.ns.OutputLogger");
  for (const char* method :
       {"forward", "get_stats", "clear", "set_enabled", "is_enabled"}) {
    EXPECT_NE(logger.toObject()->type()->findMethod(method), nullptr) << method;
  }
}

TEST(OutputLoggerTest, SavesAndLoads) {
  auto logger = c10::make_intrusive<OutputLogger>();
  logger->Forward(at::ones({2}));
  logger->SetEnabled(false);
  torch::jit::Module module("__torch__.Model");
  const c10::IValue object(logger);
  module.register_attribute("logger", object.type(), object);
  std::stringstream file;
  module.save(file);
  const auto loaded =
      torch::jit::load(file).attr("logger").toCustomClass<OutputLogger>();
  ASSERT_THAT(loaded->Stats(), SizeIs(1));
  EXPECT_TRUE(loaded->Stats()[0].equal(at::ones({2})));
  EXPECT_FALSE(loaded->IsEnabled());
}

TEST(OutputLoggerTest, LeavesOutUndefinedTensors) {
  OutputLogger logger;
  EXPECT_FALSE(logger.Forward(at::Tensor()).defined());
  EXPECT_TRUE(logger.Stats().empty());
}

}  // namespace
}  // namespace ns
