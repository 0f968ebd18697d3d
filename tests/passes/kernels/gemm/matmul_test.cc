#include "passes/kernels/gemm/matmul.h"

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"
#include "tests/passes/kernels/in_pieces.h"
#include "tests/passes/kernels/random_shapes.h"

namespace ns::kernels {
namespace {

using Bytes = std::vector<uint8_t>;

// Matrices with their memory, of which no byte is left at the end: the address
// sanitizer sees what is read outside.
struct Operand {
  std::unique_ptr<uint8_t[]> data;
  std::vector<int64_t> begins;
  QuantizedMatrices matrices;
};

class MatMulTest : public testing::TestWithParam<Isa> {
 protected:
  int64_t Draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  QParams RandomQParams() {
    const int32_t zero_points[] = {0, 128, 255,
                                   static_cast<int32_t>(Draw(0, 255))};
    return {static_cast<float>(Draw(1, 1000)) * 1e-4f, zero_points[Draw(0, 3)]};
  }

  // `count` random matrices of rows x columns, side by side or one in all
  // places; dense, transposed, or with gaps between their elements.
  Operand RandomOperand(int64_t count, int64_t rows, int64_t columns) {
    Operand operand;
    QuantizedMatrices& matrices = operand.matrices;
    const int64_t layout = Draw(0, 3);
    const int64_t inner = layout == 3 ? 2 : 1;
    const int64_t gap = layout == 0 ? 0 : Draw(0, 9);
    const bool is_transposed = layout == 2 || (layout == 3 && Draw(0, 1) == 0);
    const int64_t outer = (is_transposed ? rows : columns) * inner + gap;
    matrices.row_stride = is_transposed ? inner : outer;
    matrices.column_stride = is_transposed ? outer : inner;
    const int64_t size = outer * (is_transposed ? columns : rows);
    const bool is_one = Draw(0, 3) == 0;
    for (int64_t i = 0; i < count; ++i) {
      operand.begins.push_back(is_one ? 0 : i * size);
    }
    int64_t end = 0;
    if (count > 0 && rows > 0 && columns > 0) {
      end = operand.begins.back() + (rows - 1) * matrices.row_stride +
            (columns - 1) * matrices.column_stride + 1;
    }
    operand.data.reset(new uint8_t[end]);
    const bool is_extreme = Draw(0, 4) == 0;
    for (int64_t i = 0; i < end; ++i) {
      operand.data[i] =
          static_cast<uint8_t>(is_extreme ? Draw(0, 1) * 255 : Draw(0, 255));
    }
    matrices.data = operand.data.get();
    matrices.begins = operand.begins;
    matrices.qparams = RandomQParams();
    return operand;
  }

  void ExpectReference(int64_t count, const MatMulShape& shape) {
    const Operand a = RandomOperand(count, shape.m, shape.k);
    const Operand b = RandomOperand(count, shape.k, shape.n);
    QParams output = RandomQParams();
    // Near the standard deviation of the sums: most values are not clipped.
    output.scale = a.matrices.qparams.scale * b.matrices.qparams.scale *
                   static_cast<float>(Draw(1, 1000) * (shape.k + 1));
    const int64_t size = count * shape.m * shape.n;
    std::unique_ptr<uint8_t[]> expected(new uint8_t[size]);
    MatMulReference(a.matrices, b.matrices, shape, output, expected.get());
    std::unique_ptr<uint8_t[]> actual(new uint8_t[size]);
    MatMul(a.matrices, b.matrices, shape, output, actual.get(), InPieces);
    ASSERT_EQ(Bytes(actual.get(), actual.get() + size),
              Bytes(expected.get(), expected.get() + size))
        << count << " of " << shape.m << "x" << shape.k << "x" << shape.n;
  }

 private:
  std::mt19937_64 random_{11};
  ScopedIsa isa_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Isas, MatMulTest, testing::ValuesIn(SupportedIsas()),
                         [](const auto& info) { return IsaName(info.param); });

TEST_P(MatMulTest, IsTheReferenceForRandomMatrices) {
  const int64_t shapes = RandomShapes();
  for (int64_t trial = 0; trial < shapes && !HasFailure(); ++trial) {
    const int64_t most = trial % 20 == 0 ? 150 : 30;
    ExpectReference(Draw(0, 4), {Draw(0, most), Draw(0, most), Draw(0, most)});
  }
}

TEST_P(MatMulTest, IsTheReferenceForHeadsOfAttention) {
  ExpectReference(3, {197, 197, 64});
  ExpectReference(3, {197, 64, 197});
}

TEST_P(MatMulTest, TheLongestSumsDoNotWrap) {
  const Bytes all(kMostMatMulK, 255);
  const std::vector<int64_t> begins = {0};
  for (const int32_t zero_point : {0, 255}) {
    const QuantizedMatrices a = {all.data(), begins, kMostMatMulK, 1, {1, 0}};
    const QuantizedMatrices b = {
        all.data(), begins, 1, kMostMatMulK, {1, zero_point}};
    uint8_t out = 77;
    MatMul(a, b, {1, 1, kMostMatMulK}, {2147450625.0f / 200, 3}, &out, Serial);
    EXPECT_EQ(out, zero_point == 0 ? 203 : 3);
  }
}

TEST_P(MatMulTest, ScalesWhoseProductIsNoFloatGiveZeros) {
  const Bytes ones(16, 9);
  const std::vector<int64_t> begins = {0};
  const QuantizedMatrices a = {ones.data(), begins, 4, 1, {1e-30f, 0}};
  Bytes out(16);
  MatMul(a, a, {4, 4, 4}, {0.1f, 60}, out.data(), Serial);
  EXPECT_EQ(out, Bytes(16, 60));
}

}  // namespace
}  // namespace ns::kernels
