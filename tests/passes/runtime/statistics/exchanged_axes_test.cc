#include "passes/runtime/statistics/exchanged_axes.h"

#include <ATen/ATen.h>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(ExchangedAxesTest, FindsTheTwoAxes) {
  const at::Tensor x = at::randn({8, 8, 8});
  for (int64_t first = 0; first < 3; ++first) {
    for (int64_t second = first + 1; second < 3; ++second) {
      const auto found = FindExchangedAxes(x, x.transpose(first, second));
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->first, first);
      EXPECT_EQ(found->second, second);
      EXPECT_EQ(found->sqnr_db, INFINITY);
    }
  }
}

TEST(ExchangedAxesTest, ShapesMayDiffer) {
  const at::Tensor x = at::randn({2, 5, 7});
  const auto found = FindExchangedAxes(x, x.transpose(0, 1).contiguous());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first, 0);
  EXPECT_EQ(found->second, 1);
  // Three axes in another order are no exchange of two.
  EXPECT_FALSE(FindExchangedAxes(x, x.permute({1, 2, 0})).has_value());
  EXPECT_FALSE(FindExchangedAxes(x, at::randn({2, 7, 5})).has_value());
  EXPECT_FALSE(FindExchangedAxes(x, at::randn({70})).has_value());
}

TEST(ExchangedAxesTest, QuantizedValuesMayBeRounded) {
  const at::Tensor x = at::randn({4, 6, 6});
  const at::Tensor y =
      at::quantize_per_tensor(x.transpose(1, 2), 0.05, 128, at::kQUInt8);
  const auto found = FindExchangedAxes(x, y);
  ASSERT_TRUE(found.has_value());
  EXPECT_GT(found->sqnr_db, 20);
  EXPECT_LT(found->sqnr_db, 60);
  const at::Tensor coarse =
      at::quantize_per_tensor(x.transpose(1, 2), 2, 128, at::kQUInt8);
  EXPECT_FALSE(FindExchangedAxes(x, coarse).has_value());
}

TEST(ExchangedAxesTest, ValuesInPlaceAreNotExchanged) {
  const at::Tensor x = at::randn({6, 6});
  EXPECT_FALSE(FindExchangedAxes(x, x).has_value());
  EXPECT_FALSE(FindExchangedAxes(x, at::randn({6, 6})).has_value());
  // A symmetric matrix is the same either way.
  EXPECT_FALSE(FindExchangedAxes(x + x.t(), x + x.t()).has_value());
  EXPECT_FALSE(FindExchangedAxes(at::zeros({6, 6}), x).has_value());
}

TEST(ExchangedAxesTest, ASampleIsEnough) {
  const at::Tensor x = at::randn({16, 64, 64, 3});
  const auto found = FindExchangedAxes(x, x.transpose(1, 2).contiguous());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first, 1);
  EXPECT_EQ(found->second, 2);
}

TEST(ExchangedAxesTest, OtherTensorsHaveNone) {
  EXPECT_FALSE(FindExchangedAxes(at::Tensor(), at::ones({2, 2})).has_value());
  EXPECT_FALSE(FindExchangedAxes(at::empty({0, 2}), at::empty({2, 0})));
  EXPECT_FALSE(FindExchangedAxes(at::ones({2, 3}, at::kLong),
                                 at::ones({3, 2}, at::kLong)));
  EXPECT_FALSE(FindExchangedAxes(at::ones({2, 3}).to_sparse(),
                                 at::ones({3, 2}).to_sparse()));
  const at::Tensor nan = at::full({3, 3}, NAN);
  EXPECT_FALSE(FindExchangedAxes(nan, nan).has_value());
}

}  // namespace
}  // namespace ns
