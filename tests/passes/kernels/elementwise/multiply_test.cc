#include "passes/kernels/elementwise/multiply.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/kernels/elementwise/elementwise_test_base.h"

namespace ns::kernels {
namespace {

class MultiplyTest : public ElementwiseTest {};

INSTANTIATE_TEST_SUITE_P(Isa, MultiplyTest, testing::ValuesIn(SupportedIsas()),
                         NameOfIsa);

struct ProductQParams {
  QParams a;
  QParams b;
  QParams out;
};

std::vector<uint8_t> Products(const std::vector<uint8_t>& a,
                              const std::vector<uint8_t>& b,
                              const ProductQParams& qparams, bool relu,
                              int64_t offset = 0) {
  const int64_t count = static_cast<int64_t>(a.size());
  const ExactArray<uint8_t> left(a, offset);
  const ExactArray<uint8_t> right(b, offset / 2);
  ExactArray<uint8_t> out(count, offset / 3);
  Multiply({left.data(), qparams.a}, {right.data(), qparams.b}, count, relu,
           qparams.out, out.data(), Serial);
  EXPECT_TRUE(out.IsUntouchedBefore());
  return out.ToVector();
}

TEST_P(MultiplyTest, FollowsFormulaOfAllPairsOfCodes) {
  std::vector<uint8_t> a;
  std::vector<uint8_t> b;
  for (int i = 0; i < 65536; ++i) {
    a.push_back(static_cast<uint8_t>(i >> 8));
    b.push_back(static_cast<uint8_t>(i));
  }
  const std::vector<ProductQParams> all = {
      {{0.1f, 0}, {0.1f, 0}, {1.0f, 0}},
      {{0.1f, 3}, {0.07f, 200}, {0.15f, 100}},
      {{1.0f, 255}, {0.5f, 255}, {100.0f, 255}},
      {{0.5f, 128}, {0.25f, 64}, {8.0f, 129}},
      {{3.0f, 0}, {1.0f, 255}, {1e-3f, 0}},
  };
  for (const ProductQParams& qparams : all) {
    const float multiplier =
        qparams.a.scale * qparams.b.scale * (1.0f / qparams.out.scale);
    for (const bool relu : {false, true}) {
      const std::vector<uint8_t> products = Products(a, b, qparams, relu);
      for (size_t i = 0; i < products.size(); ++i) {
        const int product =
            (a[i] - qparams.a.zero_point) * (b[i] - qparams.b.zero_point);
        const float steps =
            std::nearbyint(static_cast<float>(product) * multiplier);
        const double least = relu ? qparams.out.zero_point : 0;
        ASSERT_EQ(
            products[i],
            std::clamp(double{steps} + qparams.out.zero_point, least, 255.0))
            << int{a[i]} << " " << int{b[i]} << " " << relu;
      }
    }
  }
}

TEST_P(MultiplyTest, TiesGoToEvenBeforeZeroPointIsAdded) {
  const auto product = [](uint8_t n, int32_t zero_point) {
    return Products({1}, {n}, {{0.5f, 0}, {1.0f, 0}, {1.0f, zero_point}},
                    false)[0];
  };
  EXPECT_EQ(product(1, 0), 0);
  EXPECT_EQ(product(3, 0), 2);
  EXPECT_EQ(product(5, 0), 2);
  EXPECT_EQ(product(1, 7), 7);
  EXPECT_EQ(product(3, 7), 9);
  EXPECT_EQ(product(5, 7), 9);
}

TEST_P(MultiplyTest, WhatDoesNotFitGivesZero) {
  const ProductQParams large{{1e20f, 0}, {1.0f, 0}, {1.0f, 200}};
  EXPECT_EQ(Products({1}, {1}, large, false)[0], 0);
  EXPECT_EQ(Products({1}, {1}, large, true)[0], 200);
  const ProductQParams nan{{3e38f, 0}, {3e38f, 0}, {1.0f, 200}};
  EXPECT_EQ(Products({0}, {1}, nan, false)[0], 0);
}

TEST_P(MultiplyTest, EqualsReferenceWhereProductsOverflow) {
  std::mt19937 random(1);
  const std::vector<uint8_t> a = RandomCodes<uint8_t>(300, random);
  const std::vector<uint8_t> b = RandomCodes<uint8_t>(300, random);
  const std::vector<QParams> all = SomeQParams(false);
  for (int i = 0; i < 3000; ++i) {
    const ProductQParams qparams{all[random() % all.size()],
                                 all[random() % all.size()],
                                 all[random() % all.size()]};
    for (const bool relu : {false, true}) {
      ASSERT_EQ(Products(a, b, qparams, relu),
                InScalar([&] { return Products(a, b, qparams, relu); }))
          << qparams.a.scale << " " << qparams.a.zero_point << " "
          << qparams.b.scale << " " << qparams.b.zero_point << " "
          << qparams.out.scale << " " << qparams.out.zero_point;
    }
  }
}

TEST_P(MultiplyTest, EqualsReferenceAroundEndOfTameProducts) {
  std::mt19937 random(2);
  const std::vector<uint8_t> a = RandomCodes<uint8_t>(300, random);
  const std::vector<uint8_t> b = RandomCodes<uint8_t>(300, random);
  for (const int32_t zero_point : {0, 127, 128, 255}) {
    for (float scale = 0x1p12f; scale <= 0x1p17f; scale *= 1.25f) {
      for (const bool relu : {false, true}) {
        const ProductQParams qparams{
            {scale, 100}, {1.0f, 155}, {1.0f, zero_point}};
        ASSERT_EQ(Products(a, b, qparams, relu),
                  InScalar([&] { return Products(a, b, qparams, relu); }))
            << scale << " " << zero_point;
      }
    }
  }
}

TEST_P(MultiplyTest, EqualsReferenceOfAnySizeAndAlignment) {
  std::mt19937 random(3);
  const ProductQParams small{{0.1f, 3}, {0.07f, 200}, {0.15f, 100}};
  const ProductQParams overflowing{{1e9f, 3}, {1.0f, 200}, {0.15f, 100}};
  for (int64_t size = 0; size <= 1000; size += size < 140 ? 1 : 43) {
    const std::vector<uint8_t> a = RandomCodes<uint8_t>(size, random);
    const std::vector<uint8_t> b = RandomCodes<uint8_t>(size, random);
    const int64_t offset = static_cast<int64_t>(random() % 70);
    const bool relu = random() % 2 == 0;
    for (const ProductQParams& qparams : {small, overflowing}) {
      ASSERT_EQ(Products(a, b, qparams, relu, offset),
                InScalar([&] { return Products(a, b, qparams, relu); }))
          << size;
    }
  }
}

TEST_P(MultiplyTest, WorksInPlaceAndInAnyOrder) {
  std::mt19937 random(4);
  const ProductQParams qparams{{0.1f, 3}, {0.07f, 200}, {0.15f, 100}};
  const std::vector<uint8_t> a = RandomCodes<uint8_t>(200003, random);
  const std::vector<uint8_t> b = RandomCodes<uint8_t>(200003, random);
  std::vector<uint8_t> out = a;
  Multiply({out.data(), qparams.a}, {b.data(), qparams.b}, 200003, false,
           qparams.out, out.data(), Backwards);
  EXPECT_EQ(out, Products(a, b, qparams, false));
}

}  // namespace
}  // namespace ns::kernels
