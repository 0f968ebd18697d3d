#include "ns/suite/compare_weight.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CompareWeightTest, HasShapeAndFigures) {
  std::vector<std::string> warnings;
  const at::Tensor x = at::ones({2, 3});
  const at::Tensor y =
      at::quantize_per_tensor(x * 0.9, 0.1, 0, at::kQInt8);  // 20 dB
  const std::optional<WeightComparison> weight = OrThrow(
      CompareWeight("fc", "weight", x, y, /*histograms=*/true, warnings));
  ASSERT_TRUE(weight.has_value());
  EXPECT_EQ(weight->name, "weight");
  EXPECT_THAT(weight->shape, ElementsAre(2, 3));
  EXPECT_NEAR(weight->error.sqnr_db, 20, 1e-4);
  ASSERT_TRUE(weight->histograms.has_value());
  EXPECT_EQ(weight->histograms->samples, 6);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(CompareWeightTest, WarnsOfShapesThatDiffer) {
  std::vector<std::string> warnings;
  EXPECT_FALSE(
      OrThrow(CompareWeight("fc", "weight", at::ones({2, 3}), at::ones({3, 2}),
                            /*histograms=*/false, warnings)));
  EXPECT_THAT(warnings, ElementsAre("fc: shapes of weight differ, [2, 3] and "
                                    "[3, 2]; not compared"));
}

}  // namespace
}  // namespace ns
