#include "passes/kernels/gemm/gemm.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"

namespace ns::kernels {
namespace {

class GemmTest : public testing::TestWithParam<Isa> {
 protected:
  ScopedIsa scoped_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(All, GemmTest, testing::ValuesIn(SupportedIsas()),
                         [](const testing::TestParamInfo<Isa>& isa) {
                           return IsaName(isa.param);
                         });

template <typename T>
std::vector<T> RandomBytes(uint64_t seed, int64_t count) {
  std::mt19937_64 random(seed);
  std::vector<T> bytes(count);
  for (T& byte : bytes) {
    byte = static_cast<T>(random());
  }
  return bytes;
}

OutputPlan PlanSums(const PackedMatrix& weights) {
  const std::vector<float> scales = {1};
  OutputSpec spec;
  spec.type = OutputType::kS32;
  spec.weight_scales = scales;
  return PlanOutput(spec, weights.column_sums(), weights.k());
}

// Sums of a[m][k] and b[n][k], in s32.
std::vector<int32_t> Sums(const std::vector<uint8_t>& a,
                          const std::vector<int8_t>& b, int64_t m, int64_t n,
                          int64_t k,
                          SaturationMode mode = SaturationMode::kExact,
                          Parallel parallel = Serial) {
  const PackedMatrix weights(b.data(), n, 1, k);
  std::vector<int32_t> out(m * n, 77);
  Gemm(a.data(), m, k, weights, PlanSums(weights), mode, out.data(), parallel);
  return out;
}

TEST_P(GemmTest, SumsAreThoseOfTheDefinition) {
  for (const int64_t m : {1, 2, 5, 33}) {
    for (const int64_t n : {1, 16, 17, 90}) {
      for (const int64_t k : {1, 2, 3, 4, 64, 131}) {
        const auto a = RandomBytes<uint8_t>(m, m * k);
        const auto b = RandomBytes<int8_t>(n, n * k);
        const std::vector<int32_t> sums = Sums(a, b, m, n, k);
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t j = 0; j < n; ++j) {
            int32_t sum = 0;
            for (int64_t l = 0; l < k; ++l) {
              sum += a[i * k + l] * b[j * k + l];
            }
            ASSERT_EQ(sums[i * n + j], sum)
                << m << "x" << n << "x" << k << " at " << i << ", " << j;
          }
        }
      }
    }
  }
}

TEST_P(GemmTest, PairsSaturateWhenAsked) {
  const std::vector<uint8_t> a = {255, 255, 255, 255, 255};
  const std::vector<int8_t> b = {127, 127, -128, -128, 127};
  constexpr int32_t kExact = 255 * (127 + 127 - 128 - 128 + 127);
  EXPECT_EQ(Sums(a, b, 1, 1, 5, SaturationMode::kExact)[0], kExact);
  EXPECT_EQ(Sums(a, b, 1, 1, 5, SaturationMode::kFbgemmVnni)[0], kExact);
  EXPECT_EQ(Sums(a, b, 1, 1, 5, SaturationMode::kFbgemmAvx2)[0],
            32767 - 32768 + 255 * 127);
}

TEST_P(GemmTest, PairsSaturateBeforeTheyAreAddedUp) {
  // Pairs of 65280 and -65280: no sum of two would leave the range.
  const std::vector<uint8_t> a(64, 255);
  std::vector<int8_t> b(64, 127);
  for (int64_t i = 0; i < 64; i += 4) {
    b[i] = b[i + 1] = -128;
  }
  EXPECT_EQ(Sums(a, b, 1, 1, 64, SaturationMode::kExact)[0], 16 * 255 * 2 * -1);
  EXPECT_EQ(Sums(a, b, 1, 1, 64, SaturationMode::kFbgemmAvx2)[0], 16 * -1);
}

TEST_P(GemmTest, SumsOf65536ProductsAreExact) {
  constexpr int64_t kK = 1 << 16;
  for (const int64_t m : {1, 7, 20}) {
    const std::vector<uint8_t> a(m * kK, 255);
    for (const int8_t weight : {-128, 127}) {
      const std::vector<int8_t> b(3 * kK, weight);
      for (const int32_t sum : Sums(a, b, m, 3, kK)) {
        ASSERT_EQ(sum, 255 * weight * 65536);
      }
    }
  }
}

TEST_P(GemmTest, LongerSumsWrapAround) {
  constexpr int64_t kK = 70000;
  for (const int64_t m : {1, 20}) {
    const std::vector<uint8_t> a(m * kK, 255);
    const std::vector<int8_t> b(3 * kK, -128);
    for (const int32_t sum : Sums(a, b, m, 3, kK)) {
      ASSERT_EQ(sum, -255LL * 128 * kK + (1LL << 32));
    }
  }
}

TEST_P(GemmTest, AnySideMayBeEmpty) {
  EXPECT_TRUE(Sums({}, {1, 2}, 0, 1, 2).empty());
  EXPECT_TRUE(Sums({1, 2}, {}, 1, 0, 2).empty());
  for (const int64_t m : {1, 9, 40}) {
    const std::vector<int32_t> sums = Sums({}, {}, m, 5, 0);
    EXPECT_EQ(sums, std::vector<int32_t>(m * 5, 0));
  }
}

TEST_P(GemmTest, RowsMayBeApart) {
  constexpr int64_t kM = 37;
  constexpr int64_t kN = 20;
  constexpr int64_t kK = 64;
  constexpr int64_t kStride = 101;
  const auto a = RandomBytes<uint8_t>(1, (kM - 1) * kStride + kK);
  const auto b = RandomBytes<int8_t>(2, kN * kK);
  std::vector<uint8_t> dense;
  for (int64_t i = 0; i < kM; ++i) {
    dense.insert(dense.end(), a.begin() + i * kStride,
                 a.begin() + i * kStride + kK);
  }
  const PackedMatrix weights(b.data(), kN, 1, kK);
  std::vector<int32_t> out(kM * kN);
  Gemm(a.data(), kM, kStride, weights, PlanSums(weights),
       SaturationMode::kExact, out.data(), Serial);
  EXPECT_EQ(out, Sums(dense, b, kM, kN, kK));
}

// Each task alone, the last first.
void Backwards(int64_t count, int64_t /*grain*/, Tasks tasks) {
  for (int64_t i = count; i-- > 0;) {
    tasks(i, i + 1);
  }
}

void TwoThreads(int64_t count, int64_t grain, Tasks tasks) {
  if (count <= grain) {
    Serial(count, grain, tasks);
    return;
  }
  std::thread other([&] { tasks(0, count / 2); });
  tasks(count / 2, count);
  other.join();
}

TEST_P(GemmTest, GivesTheSameHoweverItIsSplit) {
  struct Shape {
    int64_t m;
    int64_t n;
    int64_t k;
  };
  for (const Shape& shape :
       {Shape{1, 1000, 300}, Shape{1, 70, 2}, Shape{300, 40, 90},
        Shape{100, 300, 64}, Shape{129, 65, 1030}, Shape{1, 2048, 2048}}) {
    const auto a = RandomBytes<uint8_t>(3, shape.m * shape.k);
    const auto b = RandomBytes<int8_t>(4, shape.n * shape.k);
    const auto sums = [&](Parallel parallel) {
      return Sums(a, b, shape.m, shape.n, shape.k, SaturationMode::kExact,
                  parallel);
    };
    const std::vector<int32_t> expected = sums(Serial);
    EXPECT_EQ(sums(Backwards), expected) << shape.m;
    EXPECT_EQ(sums(TwoThreads), expected) << shape.m;
  }
}

TEST_P(GemmTest, SmallProblemsWakeNoThread) {
  const auto woken = [](int64_t m, int64_t n, int64_t k) {
    const auto a = RandomBytes<uint8_t>(3, m * k);
    const auto b = RandomBytes<int8_t>(4, n * k);
    bool wakes = false;
    Sums(a, b, m, n, k, SaturationMode::kExact,
         [&](int64_t count, int64_t grain, Tasks tasks) {
           wakes = count > grain;
           tasks(0, count);
         });
    return wakes;
  };
  EXPECT_FALSE(woken(1, 256, 768));
  EXPECT_FALSE(woken(49, 64, 64));
  EXPECT_TRUE(woken(1, 768, 768));
  EXPECT_TRUE(woken(1, 4096, 1024));
  EXPECT_TRUE(woken(3136, 64, 576));
  EXPECT_TRUE(woken(64, 3072, 768));
}

// Each sum from -2176 to 2175, halved: all ties around all codes and many
// beyond, which vectors have to round and saturate as Requantize does.
TEST_P(GemmTest, RoundsEachTieOfEachCodeToEven) {
  constexpr int64_t kM = 256;
  constexpr int64_t kN = 17;
  std::vector<uint8_t> a(kM);
  std::vector<int32_t> bias(kN);
  for (int64_t i = 0; i < kM; ++i) {
    a[i] = static_cast<uint8_t>(i);
  }
  for (int64_t j = 0; j < kN; ++j) {
    bias[j] = static_cast<int32_t>(256 * j - 2176);
  }
  const std::vector<int8_t> b(kN, 1);
  const PackedMatrix weights(b.data(), kN, 1, 1);
  const std::vector<float> scales = {0.5f};
  for (const OutputType type : {OutputType::kU8, OutputType::kS8}) {
    const int32_t lowest = type == OutputType::kS8 ? -128 : 0;
    for (int32_t zero_point = lowest; zero_point <= lowest + 255;
         zero_point += 5) {
      OutputSpec spec;
      spec.type = type;
      spec.weight_scales = scales;
      spec.quantized_bias = bias;
      spec.output_zero_point = zero_point;
      const OutputPlan plan = PlanOutput(spec, weights.column_sums(), 1);
      std::vector<uint8_t> out(kM * kN);
      Gemm(a.data(), kM, 1, weights, plan, SaturationMode::kExact, out.data(),
           Serial);
      for (int64_t i = 0; i < kM; ++i) {
        for (int64_t j = 0; j < kN; ++j) {
          const int32_t sum = a[i] + bias[j];
          // Halves of even ones are whole; of odd ones, ties.
          int32_t code = sum >= 0 ? sum / 2 : -((-sum + 1) / 2);
          if (sum % 2 != 0 && code % 2 != 0) {
            ++code;
          }
          code = std::min(std::max(code + zero_point, lowest), lowest + 255);
          ASSERT_EQ(out[i * kN + j], static_cast<uint8_t>(code))
              << sum << " " << zero_point;
        }
      }
    }
  }
}

// What no float holds, what no s32 holds and what no s16 holds, at both ends.
TEST_P(GemmTest, SaturatesLikeRequantize) {
  const std::vector<float> multipliers = {
      1.0f,
      1e3f,
      3e38f,
      -1e3f,
      std::numeric_limits<float>::infinity(),
      std::numeric_limits<float>::quiet_NaN()};
  const int64_t n = static_cast<int64_t>(multipliers.size());
  const std::vector<uint8_t> a = {0, 1, 255};
  for (const int8_t weight : {-128, 127}) {
    const std::vector<int8_t> b(n, weight);
    const PackedMatrix weights(b.data(), n, 1, 1);
    for (const int32_t bias : {0, std::numeric_limits<int32_t>::max(),
                               std::numeric_limits<int32_t>::min()}) {
      const std::vector<int32_t> biases(n, bias);
      for (const int32_t zero_point : {0, 128, 255}) {
        OutputSpec spec;
        spec.weight_scales = multipliers;
        spec.quantized_bias = biases;
        spec.output_zero_point = zero_point;
        const OutputPlan plan = PlanOutput(spec, weights.column_sums(), 1);
        std::vector<uint8_t> out(3 * n);
        Gemm(a.data(), 3, 1, weights, plan, SaturationMode::kExact, out.data(),
             Serial);
        for (int64_t i = 0; i < 3 * n; ++i) {
          const int32_t sum =
              static_cast<int32_t>(static_cast<uint32_t>(a[i / n] * weight) +
                                   static_cast<uint32_t>(bias));
          ASSERT_EQ(out[i],
                    Requantize(static_cast<float>(sum), multipliers[i % n],
                               zero_point, OutputType::kU8))
              << sum << " " << multipliers[i % n];
        }
      }
    }
  }
}

}  // namespace
}  // namespace ns::kernels
