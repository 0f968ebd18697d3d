#include "ir/files/pickled_tensor.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using testing::HasSubstr;

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max() / 2;

TEST(PickledTensorTest, SpansTheBytesFromItsFirstToItsLastElement) {
  // Columns 1 and 2 of a matrix of 4 columns.
  const ByteRange range =
      OrThrow(BytesOf({"0", at::kFloat, 1, {3, 2}, {4, 1}}, 48));
  EXPECT_EQ(range.begin, 1 * 4);
  EXPECT_EQ(range.end, (2 * 4 + 3) * 4);
}

TEST(PickledTensorTest, SpansOneElementWhenExpanded) {
  const ByteRange range =
      OrThrow(BytesOf({"0", at::kDouble, 2, {1000, 1000}, {0, 0}}, 24));
  EXPECT_EQ(range.begin, 16);
  EXPECT_EQ(range.end, 24);
}

TEST(PickledTensorTest, SpansNothingWithoutElements) {
  const ByteRange range =
      OrThrow(BytesOf({"0", at::kFloat, 100, {5, 0, 7}, {7, 7, 1}}, 0));
  EXPECT_EQ(range.begin, 0);
  EXPECT_EQ(range.end, 0);
}

TEST(PickledTensorTest, RefusesWindowsBeyondTheStorage) {
  for (const PickledTensor& pickled : {
           PickledTensor{"0", at::kFloat, 0, {4}, {1}},
           PickledTensor{"0", at::kFloat, 1, {3}, {1}},
           PickledTensor{"0", at::kFloat, -1, {1}, {1}},
           PickledTensor{"0", at::kFloat, 2, {2}, {-1}},
           PickledTensor{"0", at::kFloat, 0, {-1}, {1}},
           PickledTensor{"0", at::kFloat, 0, {kHuge, 4}, {0, 0}},
           PickledTensor{"0", at::kFloat, 0, {kHuge}, {4}},
           PickledTensor{"0", at::kFloat, kHuge, {kHuge}, {2}},
       }) {
    // Three elements and a half.
    EXPECT_THAT(MessageOf(BytesOf(pickled, 14)),
                HasSubstr("it reaches beyond its storage"));
    EXPECT_FALSE(Outline(pickled, nullptr, 14).ok());
  }
  EXPECT_THAT(MessageOf(BytesOf({"0", at::kFloat, 0, {1, 1}, {1}}, 14)),
              HasSubstr("2 sizes and 1 strides"));
}

TEST(PickledTensorTest, OutlinesHaveNoBytes) {
  const at::Tensor outline =
      OrThrow(Outline({"0", at::kFloat, 0, {1 << 20, 1 << 10}, {1 << 10, 1}},
                      nullptr, int64_t{4} << 30));
  EXPECT_TRUE(outline.is_meta());
  EXPECT_EQ(outline.numel(), 1 << 30);
}

TEST(PickledTensorTest, OutlinesOfQuantizedTensorsAreChecked) {
  const PickledTensor pickled{"0", at::kQUInt8, 0, {2, 3}, {3, 1}};
  PickledQuantizer quantizer;
  EXPECT_TRUE(Outline(pickled, &quantizer, 6).ok());
  EXPECT_THAT(MessageOf(Outline(pickled, nullptr, 6)),
              HasSubstr("it is quantized and has no scale"));
  EXPECT_THAT(MessageOf(Outline({"0", at::kByte, 0, {2}, {1}}, &quantizer, 6)),
              HasSubstr("it has a scale and is not quantized"));
  quantizer.scheme = at::kPerChannelAffine;
  quantizer.scales = at::ones({2}, at::kMeta);
  quantizer.zero_points = at::zeros({2}, at::kMeta);
  quantizer.axis = 0;
  EXPECT_TRUE(Outline(pickled, &quantizer, 6).ok());
  quantizer.axis = 1;
  EXPECT_THAT(MessageOf(Outline(pickled, &quantizer, 6)),
              HasSubstr("its scales do not fit its channels"));
}

}  // namespace
}  // namespace ns
