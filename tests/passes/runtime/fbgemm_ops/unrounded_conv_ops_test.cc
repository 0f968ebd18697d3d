#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/fbgemm_ops/fbgemm_conv.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"
#include "tests/passes/runtime/fbgemm_ops/conv_calls.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;
using UnroundedConvOpsTest = ConvCallsTest;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Convolves the values of `x` in double.
at::Tensor FloatReference(const at::Tensor& x, const FbgemmConvParameters& p) {
  const Ints output_padding =
      p.transposed ? p.output_padding : Ints(p.stride.size(), 0);
  return at::convolution(x.dequantize().to(at::kDouble),
                         p.weight.dequantize().to(at::kDouble),
                         p.bias.to(at::kDouble), p.stride, p.padding,
                         p.dilation, p.transposed, output_padding, p.groups)
      .to(at::kFloat);
}

// Fails the test unless the ops that give floats do so for `p`, with a relu and
// clamps that hold to the bit.
void ExpectFloats(const at::Tensor& x, const FbgemmConvParameters& p) {
  const at::Tensor ours = RunConv("_float", x, p, {});
  const at::Tensor reference = FloatReference(x, p);
  ASSERT_EQ(ours.sizes(), reference.sizes());
  EXPECT_EQ(ours.scalar_type(), at::kFloat);
  EXPECT_LE((ours - reference).abs().max().item<float>(),
            1e-6f * reference.abs().max().item<float>());
  EXPECT_TRUE(RunConv("_relu_float", x, p, {}).equal(ours.relu()));
  for (const auto& [min, max] : std::vector<std::pair<double, double>>{
           {0, 6}, {-0.123, 0.456}, {3, -3}, {-kInf, 1}, {-2, kInf}}) {
    EXPECT_TRUE(
        RunConv("_clamp_float", x, p, {min, max}).equal(ours.clamp(min, max)))
        << min << " to " << max;
  }
}

TEST_F(UnroundedConvOpsTest, GiveFloatsThatAreNeitherRoundedNorClipped) {
  for (const auto& [kernel, input] : ConvSizes()) {
    for (const auto& weight :
         {RandomWeight(kernel), RandomWeightPerChannel(kernel)}) {
      for (const auto& [name, x] : Layouts(RandomCodes(input, 0.3))) {
        SCOPED_TRACE(name);
        ExpectFloats(x, ConvParameters(weight, at::randn({kernel[0]})));
      }
    }
  }
}

// Groups have kernels of their own: depthwise, of few channels, and GEMMs.
TEST_F(UnroundedConvOpsTest, GiveFloatsOfGroups) {
  const at::Tensor x = RandomCodes({2, 32, 12, 11}, 0.3, 128);
  for (const int64_t groups : {1, 2, 8, 32}) {
    for (const int64_t kernel : {1, 3, 5}) {
      SCOPED_TRACE(std::to_string(groups) + " groups of kernels of " +
                   std::to_string(kernel));
      FbgemmConvParameters p = ConvParameters(
          RandomWeightPerChannel({32, 32 / groups, kernel, kernel}),
          at::randn({32}));
      p.groups = groups;
      p.padding = {kernel / 2, kernel / 2};
      ExpectFloats(x, p);
    }
  }
}

TEST_F(UnroundedConvOpsTest, GiveFloatsWhenTransposed) {
  FbgemmConvParameters p =
      ConvParameters(RandomWeight({4, 3, 3, 2}), at::randn({6}));
  p.transposed = true;
  p.groups = 2;
  p.stride = {2, 3};
  p.padding = {1, 0};
  p.output_padding = {1, 2};
  ExpectFloats(RandomCodes({2, 4, 5, 6}), p);
}

TEST_F(UnroundedConvOpsTest, AddAsAFloatAddBehindThemDoes) {
  const FbgemmConvParameters p =
      ConvParameters(RandomWeightPerChannel({6, 3, 3, 3}), at::randn({6}));
  const at::Tensor x = RandomCodes({2, 3, 7, 8});
  const at::Tensor floats =
      at::conv2d(x.dequantize(), p.weight.dequantize(), p.bias)
          .contiguous(at::MemoryFormat::ChannelsLast);
  for (const Ints& sizes :
       {Ints{2, 6, 5, 6}, Ints{1, 6, 1, 1}, Ints{6}, Ints{2, 1, 5, 6}}) {
    const at::Tensor sizes_like = RandomCodes(sizes, 0.05, 30);
    if (sizes.size() == 1) {
      continue;
    }
    for (const auto& [name, other] : Layouts(sizes_like)) {
      SCOPED_TRACE(name);
      const at::Tensor sum = floats + other.dequantize();
      ExpectNearCodes(RunConv("_add", x, p, {other, 0.2, int64_t{80}}),
                      at::quantize_per_tensor(sum, 0.2, 80, at::kQUInt8),
                      0.001);
      ExpectNearCodes(RunConv("_add_relu", x, p, {other, 0.2, int64_t{80}}),
                      at::quantize_per_tensor(sum.relu(), 0.2, 80, at::kQUInt8),
                      0.001);
    }
  }
}

TEST_F(UnroundedConvOpsTest, AddInOtherDimensions) {
  for (const auto& [kernel, input] : ConvSizes()) {
    const FbgemmConvParameters p =
        ConvParameters(RandomWeightPerChannel(kernel), at::randn({kernel[0]}));
    const at::Tensor x = RandomCodes(input);
    const at::Tensor floats = FloatReference(x, p);
    Ints of_channels(input.size(), 1);
    of_channels[1] = kernel[0];
    for (const Ints& sizes : {floats.sizes().vec(), of_channels}) {
      for (const auto& [name, other] : Layouts(RandomCodes(sizes, 0.05, 30))) {
        SCOPED_TRACE(ConvName(p) + " " + name);
        const at::Tensor y =
            RunConv("_add_relu", x, p, {other, 0.2, int64_t{80}});
        ExpectNearCodes(
            y.contiguous(),
            at::quantize_per_tensor((floats + other.dequantize()).relu(), 0.2,
                                    80, at::kQUInt8)
                .contiguous(),
            0.001);
      }
    }
  }
}

TEST_F(UnroundedConvOpsTest, AddToInputsWithoutABatch) {
  const FbgemmConvParameters p = ConvParameters(RandomWeight({6, 3, 3, 3}));
  const at::Tensor x = RandomCodes({3, 7, 8});
  for (const Ints& sizes : {Ints{6, 5, 6}, Ints{6, 1, 1}, Ints{6},
                            Ints{1, 6, 5, 6}, Ints{2, 6, 5, 6}}) {
    const at::Tensor other = RandomCodes(sizes);
    const Arguments rest = {other, 0.1, int64_t{80}};
    const at::Tensor of_batch = RunConv("_add", x.unsqueeze(0), p, rest);
    const at::Tensor y = RunConv("_add", x, p, rest);
    EXPECT_EQ(y.dim(), other.dim() > 3 ? 4 : 3);
    ExpectSameCodes(y, other.dim() > 3 ? of_batch : of_batch[0]);
  }
}

TEST_F(UnroundedConvOpsTest, RefuseOtherSummands) {
  const c10::IValue layer =
      FbgemmConvOf(ConvParameters(RandomWeight({6, 3, 3, 3})));
  const at::Tensor x = RandomCodes({1, 3, 5, 5});
  ExpectRefused("ns::fbgemm_conv2d_add",
                {x, layer, RandomCodes({1, 5, 3, 3}), 0.1, 0}, "");
  ExpectRefused("ns::fbgemm_conv2d_add",
                {x, layer, at::ones({1, 6, 3, 3}), 0.1, 0},
                "takes quint8 tensors");
  ExpectRefused("ns::fbgemm_conv2d_add",
                {x, layer, RandomCodes({1, 6, 3, 3}), kNan, 0},
                "positive and finite");
}

}  // namespace
}  // namespace ns
