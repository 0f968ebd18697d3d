#include "passes/runtime/conv_faults.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/modules.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;

QuantizedConvShape Transposed(int64_t in, int64_t out, int64_t groups = 1) {
  QuantizedConvShape conv;
  conv.is_transposed = true;
  conv.in_channels = in;
  conv.out_channels = out;
  conv.groups = groups;
  return conv;
}

QuantizedConvShape StridedPointwise(int64_t in) {
  QuantizedConvShape conv;
  conv.in_channels = in;
  conv.out_channels = 48;
  conv.is_pointwise = true;
  conv.has_stride = true;
  return conv;
}

ConvEnvironment Torch2() {
  ConvEnvironment environment;
  environment.torch_major = 2;
  environment.threads = 2;
  return environment;
}

ConvEnvironment Avx2() {
  ConvEnvironment environment;
  environment.has_plain_avx2 = true;
  environment.threads = 2;
  return environment;
}

TEST(ConvFaultsTest, TransposedWeightsNeedEqualChannels) {
  EXPECT_EQ(FaultOf(Transposed(8, 4), Torch2()), ConvFault::kTransposedWeight);
  EXPECT_EQ(FaultOf(Transposed(4, 8, 2), Torch2()),
            ConvFault::kTransposedWeight);
  EXPECT_EQ(FaultOf(Transposed(8, 8), Torch2()), ConvFault::kNone);
  EXPECT_EQ(FaultOf(Transposed(1, 8), Torch2()), ConvFault::kNone);
  EXPECT_EQ(FaultOf(Transposed(8, 4, 4), Torch2()), ConvFault::kNone);
}

TEST(ConvFaultsTest, TransposedWeightsAreRightBeforeLibTorch2) {
  EXPECT_EQ(FaultOf(Transposed(8, 4), ConvEnvironment()), ConvFault::kNone);
}

TEST(ConvFaultsTest, OtherEnginesHaveNone) {
  for (const at::QEngine engine : {at::kFBGEMM, at::kQNNPACK}) {
    ConvEnvironment environment = Torch2();
    environment.engine = engine;
    environment.has_plain_avx2 = true;
    EXPECT_EQ(FaultOf(Transposed(8, 4), environment), ConvFault::kNone);
    EXPECT_EQ(FaultOf(StridedPointwise(24), environment), ConvFault::kNone);
  }
}

// Without AVX512-VNNI, and for an output padding, x86 runs FBGEMM's kernels.
TEST(ConvFaultsTest, X86HasThoseOfOneDnnWhereItUsesIt) {
  ConvEnvironment environment = Torch2();
  environment.engine = at::kX86;
  EXPECT_EQ(FaultOf(Transposed(8, 4), environment), ConvFault::kNone);
  environment.has_avx512_vnni = true;
  EXPECT_EQ(FaultOf(Transposed(8, 4), environment),
            ConvFault::kTransposedWeight);
  QuantizedConvShape padded = Transposed(8, 4);
  padded.has_output_padding = true;
  EXPECT_EQ(FaultOf(padded, environment), ConvFault::kNone);
}

TEST(ConvFaultsTest, StridedPointwiseNeedsThreadsAndAvx2) {
  EXPECT_EQ(FaultOf(StridedPointwise(24), Avx2()),
            ConvFault::kStridedPointwise);
  ConvEnvironment other = Avx2();
  other.threads = 1;
  EXPECT_EQ(FaultOf(StridedPointwise(24), other), ConvFault::kNone);
  other = Avx2();
  other.has_plain_avx2 = false;
  EXPECT_EQ(FaultOf(StridedPointwise(24), other), ConvFault::kNone);
}

TEST(ConvFaultsTest, StridedPointwiseNeedsEveryPartOfItsShape) {
  for (const int64_t channels : {12, 16, 20, 32}) {
    EXPECT_EQ(FaultOf(StridedPointwise(channels), Avx2()), ConvFault::kNone)
        << channels;
  }
  QuantizedConvShape conv = StridedPointwise(24);
  conv.has_stride = false;
  EXPECT_EQ(FaultOf(conv, Avx2()), ConvFault::kNone);
  conv = StridedPointwise(24);
  conv.is_pointwise = false;
  EXPECT_EQ(FaultOf(conv, Avx2()), ConvFault::kNone);
  conv = StridedPointwise(24);
  conv.has_padding = true;
  EXPECT_EQ(FaultOf(conv, Avx2()), ConvFault::kNone);
}

// oneDNN reads the variable once, and this test runs no op.
TEST(ConvFaultsTest, TheLimitOfTheUserCountsAsTheProcessor) {
  const char* const kName = "ONEDNN_MAX_CPU_ISA";
  const char* const before = std::getenv(kName);
  const std::string kept = before == nullptr ? "" : before;
  setenv(kName, "sse41", 1);
  EXPECT_FALSE(ConvEnvironment::Here(at::kONEDNN).has_plain_avx2);
  if (ConvEnvironment::Here(at::kONEDNN).has_avx512_vnni) {
    setenv(kName, "AVX2", 1);
    EXPECT_TRUE(ConvEnvironment::Here(at::kONEDNN).has_plain_avx2);
    setenv(kName, "AVX512_CORE", 1);
    EXPECT_FALSE(ConvEnvironment::Here(at::kONEDNN).has_plain_avx2);
  }
  if (before == nullptr) {
    unsetenv(kName);
  } else {
    setenv(kName, kept.c_str(), 1);
  }
}

// How far the output of LibTorch's kernel is from that of the float op, in
// steps of the output.
double Error(const QuantizedConvShape& conv) {
  at::manual_seed(3);
  const at::Tensor weight = at::quantize_per_tensor(
      at::randint(-5, 6,
                  {conv.in_channels, conv.out_channels / conv.groups, 2, 2},
                  at::kFloat),
      1, 0, at::kQInt8);
  const at::Tensor x = at::quantize_per_tensor(
      at::randint(0, 20, {1, conv.in_channels, 3, 3}, at::kFloat), 1, 0,
      at::kQUInt8);
  constexpr double kScale = 16;
  const c10::IValue packed =
      CallOp("quantized::conv_transpose2d_prepack",
             {weight, c10::IValue(), Ints{1, 1}, Ints{0, 0}, Ints{0, 0},
              Ints{1, 1}, conv.groups});
  const at::Tensor got =
      CallOp("quantized::conv_transpose2d", {x, packed, kScale, int64_t{128}})
          .toTensor()
          .dequantize();
  const at::Tensor expected = at::quantize_per_tensor(
      at::conv_transpose2d(x.dequantize(), weight.dequantize(), {}, {1, 1},
                           {0, 0}, {0, 0}, conv.groups),
      kScale, 128, at::kQUInt8);
  return (got - expected.dequantize()).abs().max().item<double>() / kScale;
}

// Fails where LibTorch mends the fault, too: then the condition has to change.
TEST(ConvFaultsTest, TellsWhichTransposedConvolutionsLibTorchComputesWrongly) {
  const at::QEngine before = at::globalContext().qEngine();
  at::globalContext().setQEngine(at::kONEDNN);
  const auto here = ConvEnvironment::Here(at::kONEDNN);
  const int64_t shapes[][3] = {{1, 4, 1}, {4, 1, 1}, {2, 3, 1}, {4, 4, 1},
                               {4, 8, 2}, {8, 4, 2}, {8, 4, 4}, {4, 8, 4},
                               {4, 4, 4}, {8, 8, 2}};
  for (const auto& [in, out, groups] : shapes) {
    const QuantizedConvShape conv = Transposed(in, out, groups);
    const double error = Error(conv);
    if (FaultOf(conv, here) == ConvFault::kNone) {
      EXPECT_LE(error, 1.5) << in << " " << out << " " << groups;
    } else {
      EXPECT_GT(error, 1.5) << in << " " << out << " " << groups;
    }
  }
  at::globalContext().setQEngine(before);
}

}  // namespace
}  // namespace ns
