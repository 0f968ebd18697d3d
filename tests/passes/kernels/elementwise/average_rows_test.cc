#include "passes/kernels/elementwise/average_rows.h"

#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/kernels/elementwise/elementwise_test_base.h"

namespace ns::kernels {
namespace {

class AverageRowsTest : public ElementwiseTest {};

INSTANTIATE_TEST_SUITE_P(Isa, AverageRowsTest,
                         testing::ValuesIn(SupportedIsas()), NameOfIsa);

std::vector<uint8_t> Averages(const std::vector<uint8_t>& codes,
                              int64_t row_size, int32_t zero_point,
                              Parallel parallel = Serial) {
  const int64_t rows = static_cast<int64_t>(codes.size()) / row_size;
  const ExactArray<uint8_t> in(codes, rows % 5);
  ExactArray<uint8_t> out(rows, rows % 3);
  AverageRows(in.data(), rows, row_size, zero_point, out.data(), parallel);
  EXPECT_TRUE(out.IsUntouchedBefore());
  return out.ToVector();
}

TEST_P(AverageRowsTest, IsTheReference) {
  std::mt19937 random(1);
  for (int64_t row_size = 1; row_size <= 300; row_size += row_size / 40 + 1) {
    std::vector<uint8_t> codes(row_size * 7);
    for (uint8_t& code : codes) {
      code = static_cast<uint8_t>(random());
    }
    for (const int32_t zero_point : {0, 3, 128, 255}) {
      EXPECT_EQ(Averages(codes, row_size, zero_point), InScalar([&] {
                  return Averages(codes, row_size, zero_point);
                }));
    }
  }
}

TEST_P(AverageRowsTest, TiesGoToEvenStepsFromTheZeroPoint) {
  const std::vector<uint8_t> codes = {0, 1, 1, 2, 2, 3, 254, 255};
  EXPECT_EQ(Averages(codes, 2, 0), (std::vector<uint8_t>{0, 2, 2, 254}));
  EXPECT_EQ(Averages(codes, 2, 1), (std::vector<uint8_t>{1, 1, 3, 255}));
}

TEST_P(AverageRowsTest, AddsTheLongestRows) {
  EXPECT_EQ(Averages(std::vector<uint8_t>(kMostAveragedValues, 255),
                     kMostAveragedValues, 0),
            (std::vector<uint8_t>{255}));
}

TEST_P(AverageRowsTest, RowsMayComeInAnyOrder) {
  std::vector<uint8_t> codes(3 * 300000);
  for (size_t i = 0; i < codes.size(); ++i) {
    codes[i] = static_cast<uint8_t>(i / 300000 * 7);
  }
  EXPECT_EQ(Averages(codes, 300000, 0, Backwards),
            (std::vector<uint8_t>{0, 7, 14}));
}

TEST_P(AverageRowsTest, NoRowsAreFine) {
  EXPECT_TRUE(Averages({}, 3, 0).empty());
}

}  // namespace
}  // namespace ns::kernels
