#include "ns/eager/fusion_warning.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

constexpr char kLinear[] = "torch.nn.modules.linear.Linear";
constexpr char kFused[] = "torch.nn.intrinsic.modules.fused.LinearReLU";
constexpr char kQuantized[] = "torch.nn.quantized.modules.linear.Linear";
constexpr char kQuantizedFused[] =
    "torch.nn.intrinsic.quantized.modules.linear_relu.LinearReLU";

TEST(FusionWarningTest, NamesPairsOfWhichOnlyTheQuantizedOneIsFused) {
  FusionWarning warning;
  warning.Add("fc1", kLinear, kQuantizedFused);
  warning.Add("fc2", kLinear, kQuantized);
  warning.Add("fc3", kFused, kQuantizedFused);
  warning.Add("fc4", kLinear, kQuantizedFused);
  EXPECT_THAT(warning.Text(), HasSubstr("not in the float one: fc1, fc4;"));
}

TEST(FusionWarningTest, IsEmptyWithoutSuchPairs) {
  FusionWarning warning;
  EXPECT_EQ(warning.Text(), "");
  warning.Add("fc", kFused, kQuantizedFused);
  EXPECT_EQ(warning.Text(), "");
}

}  // namespace
}  // namespace ns
