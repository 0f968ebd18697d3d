#include "passes/runtime/op_faults.h"

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

OpEnvironment Torch2() {
  OpEnvironment environment;
  environment.torch_major = 2;
  environment.threads = 2;
  return environment;
}

OpEnvironment Avx2() {
  OpEnvironment environment;
  environment.has_plain_avx2 = true;
  environment.threads = 2;
  return environment;
}

TEST(OpFaultsTest, TransposedWeightsNeedEqualChannels) {
  EXPECT_EQ(FaultOf(Transposed(8, 4), Torch2()), OpFault::kTransposedWeight);
  EXPECT_EQ(FaultOf(Transposed(4, 8, 2), Torch2()), OpFault::kTransposedWeight);
  EXPECT_EQ(FaultOf(Transposed(8, 8), Torch2()), OpFault::kNone);
  EXPECT_EQ(FaultOf(Transposed(1, 8), Torch2()), OpFault::kNone);
  EXPECT_EQ(FaultOf(Transposed(8, 4, 4), Torch2()), OpFault::kNone);
}

TEST(OpFaultsTest, TransposedWeightsAreRightBeforeLibTorch2) {
  EXPECT_EQ(FaultOf(Transposed(8, 4), OpEnvironment()), OpFault::kNone);
}

TEST(OpFaultsTest, OtherEnginesHaveNone) {
  for (const at::QEngine engine : {at::kFBGEMM, at::kQNNPACK}) {
    OpEnvironment environment = Torch2();
    environment.engine = engine;
    environment.has_plain_avx2 = true;
    EXPECT_EQ(FaultOf(Transposed(8, 4), environment), OpFault::kNone);
    EXPECT_EQ(FaultOf(StridedPointwise(24), environment), OpFault::kNone);
  }
}

// Without AVX512-VNNI, and for an output padding, x86 runs FBGEMM's kernels.
TEST(OpFaultsTest, X86HasThoseOfOneDnnWhereItUsesIt) {
  OpEnvironment environment = Torch2();
  environment.engine = at::kX86;
  EXPECT_EQ(FaultOf(Transposed(8, 4), environment), OpFault::kNone);
  environment.has_avx512_vnni = true;
  EXPECT_EQ(FaultOf(Transposed(8, 4), environment), OpFault::kTransposedWeight);
  QuantizedConvShape padded = Transposed(8, 4);
  padded.has_output_padding = true;
  EXPECT_EQ(FaultOf(padded, environment), OpFault::kNone);
}

TEST(OpFaultsTest, StridedPointwiseNeedsThreadsAndAvx2) {
  EXPECT_EQ(FaultOf(StridedPointwise(24), Avx2()), OpFault::kStridedPointwise);
  OpEnvironment other = Avx2();
  other.threads = 1;
  EXPECT_EQ(FaultOf(StridedPointwise(24), other), OpFault::kNone);
  other = Avx2();
  other.has_plain_avx2 = false;
  EXPECT_EQ(FaultOf(StridedPointwise(24), other), OpFault::kNone);
}

TEST(OpFaultsTest, StridedPointwiseNeedsEveryPartOfItsShape) {
  for (const int64_t channels : {12, 16, 20, 32}) {
    EXPECT_EQ(FaultOf(StridedPointwise(channels), Avx2()), OpFault::kNone)
        << channels;
  }
  QuantizedConvShape conv = StridedPointwise(24);
  conv.has_stride = false;
  EXPECT_EQ(FaultOf(conv, Avx2()), OpFault::kNone);
  conv = StridedPointwise(24);
  conv.is_pointwise = false;
  EXPECT_EQ(FaultOf(conv, Avx2()), OpFault::kNone);
  conv = StridedPointwise(24);
  conv.has_padding = true;
  EXPECT_EQ(FaultOf(conv, Avx2()), OpFault::kNone);
}

// oneDNN reads the variable once, and this test runs no op.
TEST(OpFaultsTest, TheLimitOfTheUserCountsAsTheProcessor) {
  const char* const kName = "ONEDNN_MAX_CPU_ISA";
  const char* const before = std::getenv(kName);
  const std::string kept = before == nullptr ? "" : before;
  setenv(kName, "sse41", 1);
  EXPECT_FALSE(OpEnvironment::Here(at::kONEDNN).has_plain_avx2);
  if (OpEnvironment::Here(at::kONEDNN).has_avx512_vnni) {
    setenv(kName, "AVX2", 1);
    EXPECT_TRUE(OpEnvironment::Here(at::kONEDNN).has_plain_avx2);
    setenv(kName, "AVX512_CORE", 1);
    EXPECT_FALSE(OpEnvironment::Here(at::kONEDNN).has_plain_avx2);
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
TEST(OpFaultsTest, TellsWhichTransposedConvolutionsLibTorchComputesWrongly) {
  const at::QEngine before = at::globalContext().qEngine();
  at::globalContext().setQEngine(at::kONEDNN);
  const auto here = OpEnvironment::Here(at::kONEDNN);
  const int64_t shapes[][3] = {{1, 4, 1}, {4, 1, 1}, {2, 3, 1}, {4, 4, 1},
                               {4, 8, 2}, {8, 4, 2}, {8, 4, 4}, {4, 8, 4},
                               {4, 4, 4}, {8, 8, 2}};
  for (const auto& [in, out, groups] : shapes) {
    const QuantizedConvShape conv = Transposed(in, out, groups);
    const double error = Error(conv);
    if (FaultOf(conv, here) == OpFault::kNone) {
      EXPECT_LE(error, 1.5) << in << " " << out << " " << groups;
    } else {
      EXPECT_GT(error, 1.5) << in << " " << out << " " << groups;
    }
  }
  at::globalContext().setQEngine(before);
}

// Fails where LibTorch mends the fault, too.
TEST(OpFaultsTest, ClampsOfChannelsLastAreWrongOnQnnpack) {
  const at::QEngine before = at::globalContext().qEngine();
  const at::Tensor x =
      at::quantize_per_tensor(at::randn({2, 8, 3, 4}), 0.03, 64, at::kQUInt8);
  const at::Tensor channels_last = x.contiguous(at::MemoryFormat::ChannelsLast);
  for (const at::QEngine engine : {at::kONEDNN, at::kQNNPACK}) {
    at::globalContext().setQEngine(engine);
    OpEnvironment environment;
    environment.engine = engine;
    const at::Tensor expected = at::clamp(x, -0.5, 0.5).dequantize();
    const at::Tensor got = at::clamp(channels_last, -0.5, 0.5).dequantize();
    EXPECT_EQ(at::equal(got, expected),
              FaultOfClamp(environment) == OpFault::kNone);
  }
  at::globalContext().setQEngine(before);
}

}  // namespace
}  // namespace ns
