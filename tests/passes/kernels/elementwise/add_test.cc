#include "passes/kernels/elementwise/add.h"

#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/kernels/elementwise/elementwise_test_base.h"

namespace ns::kernels {
namespace {

class AddTest : public ElementwiseTest {};

INSTANTIATE_TEST_SUITE_P(Isa, AddTest, testing::ValuesIn(SupportedIsas()),
                         NameOfIsa);

struct SumQParams {
  QParams a;
  QParams b;
  QParams out;
};

std::vector<uint8_t> Sums(const std::vector<uint8_t>& a,
                          const std::vector<uint8_t>& b,
                          const SumQParams& qparams, bool relu,
                          int64_t offset = 0) {
  const int64_t count = static_cast<int64_t>(a.size());
  const ExactArray<uint8_t> left(a, offset);
  const ExactArray<uint8_t> right(b, offset / 2);
  ExactArray<uint8_t> out(count, offset / 3);
  Add({left.data(), qparams.a}, {right.data(), qparams.b}, count, relu,
      qparams.out, out.data(), Serial);
  EXPECT_TRUE(out.IsUntouchedBefore());
  return out.ToVector();
}

std::vector<uint8_t> FloatSums(const std::vector<float>& a,
                               const std::vector<uint8_t>& b, QParams b_qparams,
                               QParams out_qparams, bool relu,
                               int64_t offset = 0) {
  const int64_t count = static_cast<int64_t>(a.size());
  const ExactArray<float> left(a, offset);
  const ExactArray<uint8_t> right(b, offset / 2);
  ExactArray<uint8_t> out(count, offset / 3);
  AddQuantize(left.data(), {right.data(), b_qparams}, count, relu, out_qparams,
              out.data(), Serial);
  EXPECT_TRUE(out.IsUntouchedBefore());
  return out.ToVector();
}

float Value(int code, QParams qparams) {
  return std::fma(qparams.scale, static_cast<float>(code),
                  qparams.scale * -static_cast<float>(qparams.zero_point));
}

// Of sums that are far from the ends of s32.
uint8_t CodeOfSum(float sum, bool relu, QParams qparams) {
  const float kept = relu ? std::fmax(sum, 0.0f) : sum;
  const float steps = std::nearbyint(kept * (1.0f / qparams.scale));
  return static_cast<uint8_t>(
      std::clamp(static_cast<double>(steps) + qparams.zero_point, 0.0, 255.0));
}

// All pairs of codes.
struct Pairs {
  std::vector<uint8_t> a;
  std::vector<uint8_t> b;
};

Pairs AllPairs() {
  Pairs pairs;
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      pairs.a.push_back(static_cast<uint8_t>(a));
      pairs.b.push_back(static_cast<uint8_t>(b));
    }
  }
  return pairs;
}

TEST_P(AddTest, FollowsFormulaOfAllPairsOfCodes) {
  const Pairs pairs = AllPairs();
  const std::vector<SumQParams> all = {
      {{0.1f, 0}, {0.1f, 0}, {0.1f, 0}},
      {{0.1f, 3}, {0.07f, 200}, {0.15f, 100}},
      {{1.0f, 255}, {0.5f, 255}, {1.0f, 255}},
      {{0.5f, 128}, {0.25f, 64}, {0.5f, 129}},
      {{0.013f, 17}, {0.0071f, 250}, {0.0003f, 5}},
      {{1e-20f, 17}, {1e-21f, 250}, {1e-20f, 5}},
  };
  for (const SumQParams& qparams : all) {
    for (const bool relu : {false, true}) {
      const std::vector<uint8_t> sums = Sums(pairs.a, pairs.b, qparams, relu);
      for (size_t i = 0; i < sums.size(); ++i) {
        const float sum =
            Value(pairs.a[i], qparams.a) + Value(pairs.b[i], qparams.b);
        ASSERT_EQ(sums[i], CodeOfSum(sum, relu, qparams.out))
            << int{pairs.a[i]} << " " << int{pairs.b[i]} << " " << relu;
      }
    }
  }
}

TEST_P(AddTest, TiesGoToEvenBeforeZeroPointIsAdded) {
  // 1 * 0.5 + n * 1.
  const auto sum = [](uint8_t n, int32_t zero_point) {
    return Sums({1}, {n}, {{0.5f, 0}, {1.0f, 0}, {1.0f, zero_point}}, false)[0];
  };
  EXPECT_EQ(sum(0, 0), 0);
  EXPECT_EQ(sum(1, 0), 2);
  EXPECT_EQ(sum(2, 0), 2);
  EXPECT_EQ(sum(0, 7), 7);
  EXPECT_EQ(sum(1, 7), 9);
  EXPECT_EQ(sum(2, 7), 9);
}

TEST_P(AddTest, EqualsReferenceWhereSumsOverflow) {
  std::mt19937 random(1);
  const std::vector<uint8_t> a = RandomCodes<uint8_t>(300, random);
  const std::vector<uint8_t> b = RandomCodes<uint8_t>(300, random);
  const std::vector<QParams> all = SomeQParams(false);
  for (int i = 0; i < 3000; ++i) {
    const SumQParams qparams{all[random() % all.size()],
                             all[random() % all.size()],
                             all[random() % all.size()]};
    for (const bool relu : {false, true}) {
      ASSERT_EQ(Sums(a, b, qparams, relu),
                InScalar([&] { return Sums(a, b, qparams, relu); }))
          << qparams.a.scale << " " << qparams.a.zero_point << " "
          << qparams.b.scale << " " << qparams.b.zero_point << " "
          << qparams.out.scale << " " << qparams.out.zero_point;
    }
  }
}

TEST_P(AddTest, EqualsReferenceAroundEndOfTameSums) {
  // Sums reach from 2^28 to 2^33 steps.
  std::mt19937 random(2);
  const std::vector<uint8_t> a = RandomCodes<uint8_t>(300, random);
  const std::vector<uint8_t> b = RandomCodes<uint8_t>(300, random);
  for (const int32_t zero_point : {0, 127, 128, 255}) {
    for (float scale = 0x1p20f; scale <= 0x1p25f; scale *= 1.25f) {
      for (const bool relu : {false, true}) {
        const SumQParams qparams{
            {scale, 100}, {scale, 155}, {1.0f, zero_point}};
        ASSERT_EQ(Sums(a, b, qparams, relu),
                  InScalar([&] { return Sums(a, b, qparams, relu); }))
            << scale << " " << zero_point;
      }
    }
  }
}

TEST_P(AddTest, NanOfOppositeInfinitiesStays) {
  // 3e38 * 100 and 3e38 * -100.
  const SumQParams qparams{{3e38f, 0}, {3e38f, 100}, {1.0f, 0}};
  for (const bool relu : {false, true}) {
    EXPECT_EQ(Sums({100}, {0}, qparams, relu)[0], 255);
  }
}

TEST_P(AddTest, EqualsReferenceOfAnySizeAndAlignment) {
  std::mt19937 random(3);
  const SumQParams small{{0.1f, 3}, {0.07f, 200}, {0.15f, 100}};
  const SumQParams overflowing{{1e9f, 3}, {1e9f, 200}, {0.15f, 100}};
  for (int64_t size = 0; size <= 1000; size += size < 140 ? 1 : 43) {
    const std::vector<uint8_t> a = RandomCodes<uint8_t>(size, random);
    const std::vector<uint8_t> b = RandomCodes<uint8_t>(size, random);
    const int64_t offset = static_cast<int64_t>(random() % 70);
    const bool relu = random() % 2 == 0;
    for (const SumQParams& qparams : {small, overflowing}) {
      ASSERT_EQ(Sums(a, b, qparams, relu, offset),
                InScalar([&] { return Sums(a, b, qparams, relu); }))
          << size;
    }
  }
}

TEST_P(AddTest, WorksInPlaceAndInAnyOrder) {
  std::mt19937 random(4);
  const SumQParams qparams{{0.1f, 3}, {0.07f, 200}, {0.15f, 100}};
  const std::vector<uint8_t> a = RandomCodes<uint8_t>(200003, random);
  const std::vector<uint8_t> b = RandomCodes<uint8_t>(200003, random);
  std::vector<uint8_t> out = b;
  Add({a.data(), qparams.a}, {out.data(), qparams.b}, 200003, true, qparams.out,
      out.data(), Backwards);
  EXPECT_EQ(out, Sums(a, b, qparams, true));
}

TEST_P(AddTest, FloatSumsFollowFormulaOfAllCodes) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 5);
  std::vector<float> a;
  std::vector<uint8_t> b;
  for (int i = 0; i < 256 * 40; ++i) {
    a.push_back(normal(random));
    b.push_back(static_cast<uint8_t>(i));
  }
  for (const int32_t zero_point : {0, 99, 255}) {
    for (const bool relu : {false, true}) {
      const QParams in{0.07f, 255 - zero_point};
      const QParams out{0.11f, zero_point};
      const std::vector<uint8_t> sums = FloatSums(a, b, in, out, relu);
      for (size_t i = 0; i < sums.size(); ++i) {
        ASSERT_EQ(sums[i], CodeOfSum(a[i] + Value(b[i], in), relu, out));
      }
    }
  }
}

TEST_P(AddTest, FloatSumsEqualReferenceOfAnything) {
  std::mt19937 random(6);
  const std::vector<QParams> all = SomeQParams(false);
  for (int i = 0; i < 1000; ++i) {
    const int64_t size = static_cast<int64_t>(random() % 200);
    std::vector<float> a = RandomFloats(size, random);
    const std::vector<float> special = SpecialFloats();
    for (size_t j = 0; j < a.size() && i % 2 == 0; ++j) {
      a[j] = special[random() % special.size()];
    }
    const std::vector<uint8_t> b = RandomCodes<uint8_t>(size, random);
    const QParams in = all[random() % all.size()];
    const QParams out = all[random() % all.size()];
    for (const bool relu : {false, true}) {
      ASSERT_EQ(FloatSums(a, b, in, out, relu, i % 40),
                InScalar([&] { return FloatSums(a, b, in, out, relu); }))
          << in.scale << " " << in.zero_point << " " << out.scale << " "
          << out.zero_point;
    }
  }
}

TEST_P(AddTest, ReluKeepsNanOfFloats) {
  EXPECT_EQ(FloatSums({kNan}, {0}, {1.0f, 0}, {1.0f, 5}, true)[0], 255);
  EXPECT_EQ(FloatSums({-kInf}, {0}, {1.0f, 0}, {1.0f, 5}, true)[0], 5);
}

}  // namespace
}  // namespace ns::kernels
