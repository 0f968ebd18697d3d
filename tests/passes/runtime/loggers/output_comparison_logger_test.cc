#include "passes/runtime/loggers/output_comparison_logger.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cmath>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(OutputComparisonLoggerTest, ComparesCallByCallAndOverAll) {
  OutputComparisonLogger logger;
  logger.Compare(at::full({4}, 1.1, at::kDouble), at::ones({4}, at::kDouble));
  logger.Compare(at::full({4}, 10.1, at::kDouble),
                 at::full({4}, 10.0, at::kDouble));
  ASSERT_THAT(logger.comparisons(), SizeIs(2));
  EXPECT_NEAR(logger.comparisons()[0].SqnrDb(), 20, 1e-6);
  EXPECT_NEAR(logger.comparisons()[1].SqnrDb(), 40, 1e-6);
  EXPECT_NEAR(logger.Pooled().SqnrDb(), 10 * std::log10(101 / 0.02), 1e-6);
}

TEST(OutputComparisonLoggerTest, TheFloatValueIsTheMeasure) {
  OutputComparisonLogger logger;
  logger.Compare(/*x=*/at::full({1}, 3.0), /*reference=*/at::ones({1}));
  EXPECT_NEAR(logger.Pooled().NormalizedL2(), 2, 1e-6);
}

TEST(OutputComparisonLoggerTest, LeavesNestedAndSparseTensorsOut) {
  OutputComparisonLogger logger;
  const at::Tensor dense = at::rand({2, 3});
  for (const at::Tensor& other :
       {at::_nested_tensor_from_tensor_list({dense[0], dense[1]}),
        dense.to_sparse()}) {
    logger.Compare(other, other);
    logger.Compare(dense, other);
  }
  EXPECT_THAT(logger.comparisons(), IsEmpty());
}

TEST(OutputComparisonLoggerTest, KeepsValuesOnlyWhenAsked) {
  OutputComparisonLogger logger;
  at::Tensor x = at::ones({2});
  logger.Compare(x, x);
  EXPECT_THAT(logger.stats(), IsEmpty());
  logger.SetSaveActivations(true);
  logger.Compare(x, x);
  x.zero_();
  ASSERT_THAT(logger.stats(), SizeIs(1));
  EXPECT_TRUE(logger.stats()[0].equal(at::ones({2})));
}

TEST(OutputComparisonLoggerTest, DisabledDoesNotLook) {
  OutputComparisonLogger logger;
  logger.SetEnabled(false);
  // What a candidate that did not run hands on has another shape.
  logger.Compare(at::empty({0}), at::ones({2}));
  EXPECT_THAT(logger.comparisons(), IsEmpty());
}

TEST(OutputComparisonLoggerTest, ClearForgets) {
  OutputComparisonLogger logger;
  logger.SetSaveActivations(true);
  logger.Compare(at::ones({2}), at::ones({2}));
  logger.Clear();
  EXPECT_THAT(logger.comparisons(), IsEmpty());
  EXPECT_THAT(logger.stats(), IsEmpty());
}

TEST(OutputComparisonLoggerTest, SavesAndLoadsWithItsModule) {
  auto logger = c10::make_intrusive<OutputComparisonLogger>();
  logger->SetSaveActivations(true);
  logger->Compare(at::full({4}, 1.5), at::ones({4}));
  logger->Compare(at::full({3}, 1.25), at::ones({3}));
  logger->SetEnabled(false);
  torch::jit::Module module("__torch__.M");
  const c10::IValue object(logger);
  module.register_attribute("logger", object.type(), object);
  std::stringstream stream;
  module.save(stream);
  const auto loaded = torch::jit::load(stream)
                          .attr("logger")
                          .toCustomClass<OutputComparisonLogger>();
  EXPECT_FALSE(loaded->IsEnabled());
  EXPECT_TRUE(loaded->SavesActivations());
  ASSERT_THAT(loaded->comparisons(), SizeIs(2));
  EXPECT_EQ(loaded->Pooled().SqnrDb(), logger->Pooled().SqnrDb());
  EXPECT_EQ(loaded->Pooled().Cosine(), logger->Pooled().Cosine());
  EXPECT_EQ(loaded->Pooled().count, 7);
  EXPECT_EQ(loaded->Pooled().max_abs_error, 0.5);
  ASSERT_THAT(loaded->stats(), SizeIs(2));
}

TEST(OutputComparisonLoggerTest, LeavesOutUndefinedTensors) {
  OutputComparisonLogger logger;
  logger.Compare(at::Tensor(), at::ones({2}));
  logger.Compare(at::Tensor(), at::Tensor());
  EXPECT_TRUE(logger.comparisons().empty());
}

}  // namespace
}  // namespace ns
