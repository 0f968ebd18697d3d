#include "passes/kernels/gemm/packed_matrix.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

std::vector<int8_t> Counted(int64_t count) {
  std::vector<int8_t> weights(count);
  for (int64_t i = 0; i < count; ++i) {
    weights[i] = static_cast<int8_t>(i * 37 % 255 - 127);
  }
  return weights;
}

TEST(PackedMatrixTest, HasEachWeightAtItsPlaceAndZerosElsewhere) {
  for (const int64_t n : {1, 15, 16, 17, 40}) {
    for (const int64_t run_length : {1, 3, 4, 5, 21}) {
      constexpr int64_t kRuns = 3;
      const std::vector<int8_t> weights = Counted(n * kRuns * run_length);
      const PackedMatrix packed(weights.data(), n, kRuns, run_length);
      ASSERT_EQ(packed.panels(), (n + 15) / 16);
      ASSERT_EQ(packed.panel_bytes(), kRuns * ((run_length + 3) / 4) * 64);
      const int8_t* at = packed.data();
      for (int64_t panel = 0; panel < packed.panels(); ++panel) {
        ASSERT_EQ(packed.panel(panel), at);
        for (int64_t run = 0; run < kRuns; ++run) {
          for (int64_t step = 0; step < packed.run_steps(); ++step) {
            for (int64_t i = 0; i < 64; ++i) {
              const int64_t output = panel * 16 + i / 4;
              const int64_t k = step * 4 + i % 4;
              const bool is_weight = output < n && k < run_length;
              ASSERT_EQ(*at++,
                        is_weight
                            ? weights[(output * kRuns + run) * run_length + k]
                            : 0);
            }
          }
        }
      }
    }
  }
}

TEST(PackedMatrixTest, OfActivationsIsThatOfTheSameNumbersWithASign) {
  for (const int64_t n : {0, 1, 15, 16, 17, 40}) {
    for (const int64_t k : {0, 1, 4, 5, 21}) {
      const std::vector<int8_t> weights = Counted(n * k);
      const PackedMatrix expected(weights.data(), n, 1, k);
      // Strides of k and of n.
      const std::vector<std::pair<int64_t, int64_t>> layouts = {
          {1, k + 2}, {n + 3, 1}, {2, 2 * k + 1}};
      for (const auto& [k_stride, n_stride] : layouts) {
        std::vector<uint8_t> activations(
            std::max<int64_t>(n * n_stride, k * k_stride) + 1);
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t j = 0; j < k; ++j) {
            activations[i * n_stride + j * k_stride] =
                static_cast<uint8_t>(weights[i * k + j] + 128);
          }
        }
        const PackedMatrix packed = PackedMatrix::OfActivations(
            activations.data(), n, k, n_stride, k_stride);
        EXPECT_EQ(packed.column_sums(), expected.column_sums());
        ASSERT_EQ(packed.panel_bytes(), expected.panel_bytes());
        EXPECT_EQ(std::memcmp(packed.data(), expected.data(),
                              packed.panels() * packed.panel_bytes()),
                  0)
            << n << " by " << k << ", strides " << n_stride << ", " << k_stride;
      }
    }
  }
}

TEST(PackedMatrixTest, IsAlignedAndMayBeReadPastItsEnd) {
  const std::vector<int8_t> weights = Counted(5 * 7);
  const PackedMatrix packed(weights.data(), 5, 1, 7);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(packed.data()) % 64, 0u);
  int32_t sum = 0;
  for (int64_t i = 0; i < PackedMatrix::kSlack; ++i) {
    sum += packed.data()[packed.panels() * packed.panel_bytes() + i];
  }
  EXPECT_EQ(sum, 0);
}

TEST(PackedMatrixTest, SumsColumns) {
  const std::vector<int8_t> weights = {-128, -128, 127, 1, 2, 3};
  const PackedMatrix packed(weights.data(), 2, 1, 3);
  EXPECT_EQ(packed.column_sums()[0], -129);
  EXPECT_EQ(packed.column_sums()[1], 6);
}

TEST(PackedMatrixTest, MayBeEmpty) {
  EXPECT_EQ(PackedMatrix().panels(), 0);
  const PackedMatrix no_outputs(nullptr, 0, 1, 3);
  EXPECT_EQ(no_outputs.panels(), 0);
  EXPECT_TRUE(no_outputs.column_sums().empty());
  const PackedMatrix no_k(nullptr, 3, 1, 0);
  EXPECT_EQ(no_k.panel_bytes(), 0);
  EXPECT_EQ(no_k.column_sums()[2], 0);
}

TEST(PackedMatrixTest, KeepsItsWeightsWhenMoved) {
  const std::vector<int8_t> weights = {1, 2, 3};
  PackedMatrix packed(weights.data(), 1, 1, 3);
  const PackedMatrix moved = std::move(packed);
  EXPECT_EQ(moved.data()[2], 3);
}

}  // namespace
}  // namespace ns::kernels
