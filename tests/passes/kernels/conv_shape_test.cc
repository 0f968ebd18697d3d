#include "passes/kernels/conv_shape.h"

#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

TEST(ConvShapeTest, AcceptsOrdinaryShapes) {
  ConvShape shape;
  EXPECT_EQ(InvalidConv(shape), nullptr);
  shape.groups = 2;
  shape.in_channels = 4;
  shape.out_channels = 6;
  shape.kernel = {3, 3, 3};
  shape.stride = {1, 2, 3};
  shape.padding = {0, 9, 1};
  shape.dilation = {1, 2, 1};
  EXPECT_EQ(InvalidConv(shape), nullptr);
  shape.transposed = true;
  shape.output_padding = {0, 1, 2};
  EXPECT_EQ(InvalidConv(shape), nullptr);
}

TEST(ConvShapeTest, RefusesGroupsThatDoNotDivideTheChannels) {
  ConvShape shape;
  shape.groups = 2;
  shape.in_channels = 4;
  shape.out_channels = 5;
  EXPECT_STREQ(InvalidConv(shape), "groups do not divide the channels");
  shape.in_channels = 5;
  shape.out_channels = 4;
  EXPECT_STREQ(InvalidConv(shape), "groups do not divide the channels");
}

TEST(ConvShapeTest, RefusesWhatIsNotPositive) {
  ConvShape shape;
  shape.out_channels = 0;
  EXPECT_NE(InvalidConv(shape), nullptr);
  shape = ConvShape();
  shape.groups = 0;
  EXPECT_NE(InvalidConv(shape), nullptr);
  shape = ConvShape();
  shape.kernel[1] = 0;
  EXPECT_NE(InvalidConv(shape), nullptr);
  shape = ConvShape();
  shape.stride[2] = 0;
  EXPECT_NE(InvalidConv(shape), nullptr);
  shape = ConvShape();
  shape.dilation[0] = -1;
  EXPECT_NE(InvalidConv(shape), nullptr);
  shape = ConvShape();
  shape.padding[2] = -1;
  EXPECT_STREQ(InvalidConv(shape), "paddings are not negative");
}

TEST(ConvShapeTest, RefusesStepsOfWhichSizesWouldOverflow) {
  constexpr int64_t kTooMuch = int64_t{1} << 31;
  ConvShape shape;
  shape.kernel[1] = kTooMuch;
  EXPECT_NE(InvalidConv(shape), nullptr);
  shape.kernel[1] = kTooMuch - 1;
  shape.dilation[1] = kTooMuch - 1;
  EXPECT_EQ(InvalidConv(shape), nullptr);
  EXPECT_LT(ConvOutput(shape, {1, 1, 1})[1], 0);
  shape = ConvShape();
  shape.stride[1] = kTooMuch;
  EXPECT_NE(InvalidConv(shape), nullptr);
  shape = ConvShape();
  shape.dilation[0] = kTooMuch;
  EXPECT_NE(InvalidConv(shape), nullptr);
  shape = ConvShape();
  shape.padding[2] = kTooMuch;
  EXPECT_NE(InvalidConv(shape), nullptr);
  shape.padding[2] = kTooMuch - 1;
  EXPECT_EQ(InvalidConv(shape), nullptr);
}

TEST(ConvShapeTest, RefusesOutputPaddingThatAddsWholeSteps) {
  ConvShape shape;
  shape.output_padding[2] = 1;
  EXPECT_NE(InvalidConv(shape), nullptr);
  shape.transposed = true;
  EXPECT_NE(InvalidConv(shape), nullptr);
  shape.stride[2] = 2;
  EXPECT_EQ(InvalidConv(shape), nullptr);
}

TEST(ConvShapeTest, KnowsTheSizeOfTheOutput) {
  ConvShape shape;
  shape.kernel = {1, 7, 3};
  shape.stride = {1, 2, 1};
  shape.padding = {0, 3, 0};
  shape.dilation = {1, 1, 2};
  EXPECT_EQ(ConvOutput(shape, {1, 224, 9}), Dims({1, 112, 5}));
}

TEST(ConvShapeTest, KnowsWhenTheInputIsSmallerThanTheKernel) {
  ConvShape shape;
  shape.kernel = {1, 3, 5};
  shape.stride = {1, 2, 2};
  EXPECT_EQ(ConvOutput(shape, {1, 2, 3}), Dims({1, -1, -2}));
}

TEST(ConvShapeTest, KnowsTheSizeOfATransposedOutput) {
  ConvShape shape;
  shape.transposed = true;
  shape.kernel = {1, 3, 4};
  shape.stride = {1, 2, 2};
  shape.padding = {0, 1, 1};
  shape.output_padding = {0, 1, 0};
  EXPECT_EQ(ConvOutput(shape, {1, 7, 7}), Dims({1, 14, 14}));
}

}  // namespace
}  // namespace ns::kernels
