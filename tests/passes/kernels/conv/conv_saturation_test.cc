#include "passes/kernels/conv/conv_saturation.h"

#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

ConvShape Depthwise(int64_t channels, int64_t kernel) {
  ConvShape shape;
  shape.groups = channels;
  shape.in_channels = channels;
  shape.out_channels = channels;
  shape.kernel = {1, kernel, kernel};
  shape.padding = {0, kernel / 2, kernel / 2};
  return shape;
}

TEST(ConvSaturationTest, KnowsFbgemmsDepthwiseKernels) {
  for (const int64_t kernel : {3, 5, 7}) {
    ConvShape shape = Depthwise(24, kernel);
    EXPECT_TRUE(IsFbgemmDepthwise(shape));
    shape.stride = {1, 2, 2};
    EXPECT_TRUE(IsFbgemmDepthwise(shape));
    shape.out_channels = 48;
    EXPECT_TRUE(IsFbgemmDepthwise(shape));
  }
  ConvShape deep = Depthwise(8, 3);
  deep.kernel[0] = 3;
  deep.padding[0] = 1;
  deep.is_3d = true;
  EXPECT_TRUE(IsFbgemmDepthwise(deep));
}

TEST(ConvSaturationTest, KnowsWhatFbgemmComputesAsGemms) {
  EXPECT_FALSE(IsFbgemmDepthwise(Depthwise(8, 1)));
  EXPECT_FALSE(IsFbgemmDepthwise(Depthwise(8, 4)));
  EXPECT_FALSE(IsFbgemmDepthwise(Depthwise(8, 9)));
  EXPECT_FALSE(IsFbgemmDepthwise(Depthwise(12, 3)));
  ConvShape shape = Depthwise(8, 3);
  shape.padding[1] = 0;
  EXPECT_FALSE(IsFbgemmDepthwise(shape));
  shape = Depthwise(8, 3);
  shape.stride[2] = 3;
  EXPECT_FALSE(IsFbgemmDepthwise(shape));
  shape = Depthwise(8, 3);
  shape.dilation[2] = 2;
  EXPECT_FALSE(IsFbgemmDepthwise(shape));
  shape = Depthwise(8, 3);
  shape.out_channels = 24;
  EXPECT_FALSE(IsFbgemmDepthwise(shape));
  shape = Depthwise(8, 3);
  shape.groups = 4;
  EXPECT_FALSE(IsFbgemmDepthwise(shape));
  shape = Depthwise(8, 3);
  shape.is_3d = true;
  EXPECT_FALSE(IsFbgemmDepthwise(shape));
  shape = Depthwise(8, 3);
  shape.transposed = true;
  EXPECT_FALSE(IsFbgemmDepthwise(shape));
  shape = Depthwise(8, 3);
  shape.kernel[2] = 5;
  shape.padding[2] = 2;
  EXPECT_FALSE(IsFbgemmDepthwise(shape));
}

TEST(ConvSaturationTest, SaturatesDepthwiseOnAllProcessors) {
  const ConvShape depthwise = Depthwise(8, 3);
  EXPECT_FALSE(ConvSaturates(depthwise, SaturationMode::kExact));
  EXPECT_TRUE(ConvSaturates(depthwise, SaturationMode::kFbgemmVnni));
  EXPECT_TRUE(ConvSaturates(depthwise, SaturationMode::kFbgemmAvx2));
  const ConvShape other = Depthwise(12, 3);
  EXPECT_FALSE(ConvSaturates(other, SaturationMode::kExact));
  EXPECT_FALSE(ConvSaturates(other, SaturationMode::kFbgemmVnni));
  EXPECT_TRUE(ConvSaturates(other, SaturationMode::kFbgemmAvx2));
}

}  // namespace
}  // namespace ns::kernels
