#include "passes/runtime/fbgemm_ops/quantized_data.h"

#include <ATen/Functions.h>

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const std::vector<std::vector<int64_t>> kShapes = {
    {2, 3, 4},    {2, 3, 4, 5}, {2, 3, 4, 5, 6}, {1, 1, 1},      {4, 1, 3, 3},
    {4, 3, 1, 1}, {0, 3, 4, 5}, {2, 0, 3},       {2, 3, 0, 1, 2}};

TEST(CheckCodesTest, NamesTheOpAndTheDtype) {
  CheckQuantized(RandomCodes({2}), "op");
  EXPECT_THROW(CheckQuantized(at::ones({2}), "op"), c10::Error);
  EXPECT_THROW(CheckQuantized(at::Tensor(), "op"), c10::Error);
  EXPECT_THROW(CheckQuantized(RandomWeight({2}), "op"), c10::Error);
  try {
    CheckQuantized(RandomWeight({2}), "op");
  } catch (const c10::Error& error) {
    EXPECT_EQ(std::string(error.what_without_backtrace()),
              "op: takes quint8 tensors with one scale, and this one is "
              "another quantized tensor of QInt8");
  }
}

TEST(CheckCodesTest, RefusesZeroPointsThatAreNoCodes) {
  for (const int64_t zero_point : {-1, 256, 1000}) {
    EXPECT_THROW(CheckQuantized(RandomCodes({2}, 0.1, zero_point), "op"),
                 c10::Error);
  }
  CheckQuantized(RandomCodes({2}, 0.1, 0), "op");
  CheckQuantized(RandomCodes({2}, 0.1, 255), "op");
}

TEST(CheckQParamsTest, TakesWhatQuantizesAndNothingElse) {
  CheckQParams(1e-45, 0, "op");
  CheckQParams(3e38, 255, "op");
  for (const double scale : {0.0, -0.0, -1.0, kInf, -kInf, kNan}) {
    EXPECT_THROW(CheckQParams(scale, 0, "op"), c10::Error);
  }
  for (const int64_t zero_point : {-1, 256}) {
    EXPECT_THROW(CheckQParams(1, zero_point, "op"), c10::Error);
  }
}

TEST(ChannelsLastTest, LaysEveryLayoutDenseWithTheSameCodes) {
  for (const auto& shape : kShapes) {
    const at::Tensor x = RandomCodes(shape);
    std::vector<int64_t> sizes = shape;
    sizes.erase(sizes.begin() + 1);
    sizes.push_back(shape[1]);
    for (const auto& [name, laid] : Layouts(x)) {
      SCOPED_TRACE(name);
      const at::Tensor dense = ChannelsLast(laid);
      const at::Tensor codes =
          at::from_blob(dense.data_ptr(), sizes, at::kByte);
      EXPECT_TRUE(codes.equal(x.int_repr().movedim(1, -1)));
    }
  }
}

TEST(EmptyChannelsLastTest, LiesAsChannelsLastGivesIt) {
  for (const auto& shape : kShapes) {
    const at::Tensor codes = EmptyChannelsLast(shape, 0.1, 3);
    EXPECT_EQ(codes.sizes(), at::IntArrayRef(shape));
    EXPECT_TRUE(codes.movedim(1, -1).is_contiguous());
    EXPECT_TRUE(
        EmptyChannelsLast(shape, at::kInt).movedim(1, -1).is_contiguous());
  }
}

TEST(EmptyCodesLikeTest, HasTheStridesOfDenseTensors) {
  for (const auto& shape : kShapes) {
    for (const auto& [name, x] : Layouts(RandomCodes(shape))) {
      SCOPED_TRACE(name);
      const at::Tensor dense = Dense(x);
      EXPECT_TRUE(dense.is_non_overlapping_and_dense());
      EXPECT_TRUE(dense.equal(x));
      const at::Tensor codes = EmptyQuantizedLike(dense, 0.5, 9);
      EXPECT_EQ(codes.sizes(), dense.sizes());
      EXPECT_EQ(codes.q_scale(), 0.5);
      EXPECT_EQ(codes.q_zero_point(), 9);
      if (dense.numel() > 1) {
        EXPECT_TRUE(codes.is_non_overlapping_and_dense());
      }
    }
  }
}

TEST(LaidOutAsTest, CopiesCodesToOtherStrides) {
  const at::Tensor x = RandomCodes({2, 3, 4, 5});
  for (const auto& [from, source] : Layouts(x)) {
    for (const auto& [to, like] : Layouts(RandomCodes({2, 3, 4, 5}, 0.7, 1))) {
      SCOPED_TRACE(from + " as " + to);
      const at::Tensor dense = Dense(like);
      const at::Tensor copy = LaidOutAs(source, dense);
      EXPECT_EQ(copy.strides(), dense.strides());
      EXPECT_TRUE(copy.equal(x));
    }
  }
}

TEST(CodeOfTest, IsThatOfLibTorch) {
  for (const float scale : {0.05f, 0.3f, 1.0f, 1e-30f, 1e30f}) {
    for (const int32_t zero_point : {0, 77, 255}) {
      for (const float value : {0.0f, -0.0f, 1.0f, -1.0f, 0.025f, 0.15f, 0.45f,
                                6.0f, 12.75f, 1e6f, -1e6f}) {
        // Larger numbers of steps overflow in LibTorch without fbgemm.
        if (value / scale > 1e15f || value / scale < -1e15f) {
          continue;
        }
        EXPECT_EQ(QuantizedValueOf(value, {scale, zero_point}),
                  at::quantize_per_tensor(at::full({1}, value), scale,
                                          zero_point, at::kQUInt8)
                      .int_repr()
                      .item<uint8_t>())
            << value << " / " << scale << " + " << zero_point;
      }
    }
  }
}

TEST(CodeOfTest, TakesInfinitiesToTheEnds) {
  EXPECT_EQ(QuantizedValueOf(static_cast<float>(kInf), {0.1f, 3}), 255);
  EXPECT_EQ(QuantizedValueOf(static_cast<float>(-kInf), {0.1f, 3}), 0);
  EXPECT_EQ(QuantizedValueOf(static_cast<float>(kNan), {0.1f, 3}), 0);
}

}  // namespace
}  // namespace ns
