#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/fbgemm_ops/fbgemm_conv.h"
#include "passes/runtime/op_faults.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"
#include "tests/passes/runtime/fbgemm_ops/conv_calls.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;
using ConvOpsTest = ConvCallsTest;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
// onednn rounds biases to 32-bit sums, fbgemm does not.
constexpr double kBiasesRounded = 0.02;

at::Tensor Theirs(const std::string& suffix, const at::Tensor& x,
                  const FbgemmConvParameters& p, Arguments rest) {
  Arguments parameters = {p.weight, p.bias.defined() ? p.bias : c10::IValue(),
                          p.stride, p.padding};
  if (p.transposed) {
    parameters.push_back(p.output_padding);
  }
  parameters.push_back(p.dilation);
  parameters.push_back(p.groups);
  rest.insert(
      rest.begin(),
      {x, PackedBy("quantized::" + ConvName(p) + "_prepack", parameters)});
  return Output("quantized::" + ConvName(p) + suffix, rest);
}

void ExpectTheirs(const at::Tensor& x, const FbgemmConvParameters& p,
                  const std::string& suffix = "") {
  ExpectNearCodes(RunConv(suffix, x, p, {0.3, int64_t{90}}),
                  Theirs(suffix, x, p, {0.3, int64_t{90}}), kBiasesRounded);
}

TEST_F(ConvOpsTest, GiveLibTorchsCodesInAllLayouts) {
  for (const auto& [kernel, input] : ConvSizes()) {
    for (const auto& weight :
         {RandomWeight(kernel), RandomWeightPerChannel(kernel)}) {
      for (const auto& bias : {at::Tensor(), at::randn({kernel[0]})}) {
        for (const auto& [name, x] : Layouts(RandomCodes(input))) {
          SCOPED_TRACE(name);
          ExpectTheirs(x, ConvParameters(weight, bias));
          ExpectTheirs(x, ConvParameters(weight, bias), "_relu");
        }
      }
    }
  }
}

TEST_F(ConvOpsTest, HeedStridesPaddingsDilationsAndGroups) {
  for (const int64_t zero_point : {0, 128, 255}) {
    const at::Tensor x = RandomCodes({2, 8, 12, 11}, 0.03, zero_point);
    for (const int64_t groups : {1, 2, 8}) {
      FbgemmConvParameters p = ConvParameters(
          RandomWeightPerChannel({16, 8 / groups, 3, 3}), at::randn({16}));
      p.groups = groups;
      for (const auto& [stride, padding, dilation] :
           std::vector<std::tuple<Ints, Ints, Ints>>{
               {{1, 1}, {1, 1}, {1, 1}},
               {{2, 1}, {0, 2}, {1, 1}},
               {{2, 2}, {1, 1}, {2, 1}},
               {{3, 2}, {2, 0}, {1, 3}}}) {
        p.stride = stride;
        p.padding = padding;
        p.dilation = dilation;
        ExpectTheirs(x, p);
      }
    }
  }
}

TEST_F(ConvOpsTest, HeedStridesAndPaddingsOfOtherDimensions) {
  FbgemmConvParameters one =
      ConvParameters(RandomWeightPerChannel({6, 2, 3}), at::randn({6}));
  one.groups = 2;
  one.stride = {2};
  one.padding = {2};
  one.dilation = {2};
  ExpectTheirs(RandomCodes({3, 4, 13}), one);
  FbgemmConvParameters three =
      ConvParameters(RandomWeightPerChannel({6, 2, 3, 2, 1}), at::randn({6}));
  three.groups = 2;
  three.stride = {2, 1, 3};
  three.padding = {1, 0, 2};
  three.dilation = {1, 2, 1};
  ExpectTheirs(RandomCodes({2, 4, 7, 6, 5}), three);
}

// Whether LibTorch computes what has a weight of `sizes` wrongly here.
bool IsFaulty(const Ints& sizes, int64_t groups) {
  QuantizedConvShape shape;
  shape.is_transposed = true;
  shape.in_channels = sizes[0];
  shape.out_channels = sizes[1] * groups;
  shape.groups = groups;
  return FaultOf(shape, OpEnvironment::Here(at::kONEDNN)) != OpFault::kNone;
}

TEST_F(ConvOpsTest, TransposeAsLibTorch) {
  const std::vector<std::pair<Ints, Ints>> shapes = {
      {{4, 3, 4}, {2, 4, 6}},
      {{4, 3, 3, 2}, {2, 4, 5, 6}},
      {{4, 3, 2, 3, 3}, {2, 4, 3, 4, 3}}};
  for (const auto& [kernel, input] : shapes) {
    const size_t dimensions = kernel.size() - 2;
    for (const int64_t groups : {1, 2}) {
      Ints sizes = kernel;
      if (IsFaulty(sizes, groups)) {
        sizes[1] = sizes[0] / groups;
      }
      FbgemmConvParameters p =
          ConvParameters(RandomWeight(sizes), at::randn({sizes[1] * groups}));
      p.transposed = true;
      p.groups = groups;
      for (const int64_t stride : {1, 2}) {
        p.stride = Ints(dimensions, stride);
        p.output_padding = Ints(dimensions, 0);
        p.padding = Ints(dimensions, 1);
        for (const auto& [name, x] : Layouts(RandomCodes(input))) {
          SCOPED_TRACE(ConvName(p) + " " + name);
          ExpectTheirs(x, p);
        }
      }
    }
  }
}

// onednn takes no output padding: held against the float op.
TEST_F(ConvOpsTest, PadOutputsAsTheFloatOpDoes) {
  FbgemmConvParameters p =
      ConvParameters(RandomWeight({4, 3, 3, 2}), at::randn({6}));
  p.transposed = true;
  p.groups = 2;
  p.stride = {2, 3};
  p.padding = {1, 0};
  p.output_padding = {1, 2};
  const at::Tensor x = RandomCodes({2, 4, 5, 6});
  const at::Tensor floats =
      at::conv_transpose2d(x.dequantize(), p.weight.dequantize(), p.bias,
                           p.stride, p.padding, p.output_padding, p.groups,
                           p.dilation)
          .contiguous(at::MemoryFormat::ChannelsLast);
  ExpectNearCodes(RunConv("", x, p, {0.3, int64_t{90}}),
                  at::quantize_per_tensor(floats, 0.3, 90, at::kQUInt8), 0.001);
}

// The codes of x, convolved in float, and quantized as x is, to 8 bits: what
// LibTorch's dynamic convolutions compute. (conv1d_dynamic of onednn with
// reduce_range adds the zero point twice.)
at::Tensor DynamicReference(const at::Tensor& x, const FbgemmConvParameters& p,
                            bool reduce_range) {
  const auto [scale, zero_point] =
      at::_choose_qparams_per_tensor(x, reduce_range);
  const at::Tensor codes =
      at::quantize_per_tensor(x, scale, zero_point, at::kQUInt8);
  const at::Tensor values = at::convolution(
      codes.dequantize(), p.weight.dequantize(), p.bias, p.stride, p.padding,
      p.dilation, false, Ints(p.stride.size(), 0), p.groups);
  return at::quantize_per_tensor(values, scale, zero_point, at::kQUInt8)
      .dequantize();
}

TEST_F(ConvOpsTest, AreDynamicAsLibTorchs) {
  for (const auto& [kernel, input] : ConvSizes()) {
    const FbgemmConvParameters p =
        ConvParameters(RandomWeightPerChannel(kernel), at::randn({kernel[0]}));
    const at::Tensor base = at::randn(input);
    const auto expect_near = [&](const at::Tensor& ours,
                                 const at::Tensor& theirs, float step) {
      ASSERT_EQ(ours.sizes(), theirs.sizes());
      const at::Tensor apart = ours.sub(theirs).abs();
      EXPECT_LE(apart.max().item<float>(), step * 1.01f);
      EXPECT_LE(apart.gt(step / 2).to(at::kFloat).mean().item<float>(),
                kBiasesRounded);
    };
    for (const bool reduce_range : {false, true}) {
      for (const at::Tensor& x :
           {base, base.transpose(0, 1).contiguous().transpose(0, 1)}) {
        SCOPED_TRACE(ConvName(p) +
                     (reduce_range ? " to 7 bits" : " to 8 bits"));
        const float step =
            (x.max() - x.min()).item<float>() / (reduce_range ? 127 : 255);
        const at::Tensor ours = RunConv("_dynamic", x, p, {reduce_range});
        expect_near(ours, DynamicReference(x, p, reduce_range), step);
        if (!reduce_range) {
          expect_near(ours, Theirs("_dynamic", x, p, {reduce_range}), step);
        }
      }
    }
  }
}

TEST_F(ConvOpsTest, ClampAsAClampBehindThemDoes) {
  const FbgemmConvParameters p =
      ConvParameters(RandomWeight({6, 3, 3, 3}), at::randn({6}));
  const at::Tensor x = RandomCodes({2, 3, 7, 8});
  const at::Tensor plain = RunConv("", x, p, {0.1, int64_t{80}});
  for (const auto& [min, max] : std::vector<std::pair<double, double>>{
           {0, 6}, {3, -3}, {-kInf, 1}, {-2, kInf}}) {
    ExpectSameCodes(RunConv("_clamp", x, p, {0.1, int64_t{80}, min, max}),
                    Output("ns::fbgemm_clamp", {plain, min, max}));
  }
}

// Kernels round it to float; the tensor does not.
TEST_F(ConvOpsTest, GiveTheScaleTheyAreGiven) {
  const FbgemmConvParameters p = ConvParameters(RandomWeight({6, 3, 3, 3}));
  const at::Tensor x = RandomCodes({2, 3, 7, 8});
  EXPECT_EQ(RunConv("", x, p, {0.1, int64_t{80}}).q_scale(), 0.1);
  EXPECT_EQ(RunConv("_clamp", x, p, {0.1, int64_t{80}, 0.0, 6.0}).q_scale(),
            0.1);
}

TEST_F(ConvOpsTest, TakeInputsWithoutABatch) {
  for (const auto& [sizes, weight] :
       std::vector<std::pair<Ints, Ints>>{{{3, 9}, {6, 3, 3}},
                                          {{3, 7, 8}, {6, 3, 3, 3}},
                                          {{3, 5, 4, 6}, {6, 3, 3, 1, 2}}}) {
    const FbgemmConvParameters p = ConvParameters(RandomWeight(weight));
    const at::Tensor x = RandomCodes(sizes);
    const at::Tensor batch = x.unsqueeze(0);
    for (const char* suffix : {"", "_relu"}) {
      const Arguments rest = {0.1, int64_t{80}};
      const at::Tensor y = RunConv(suffix, x, p, rest);
      EXPECT_EQ(y.dim(), x.dim());
      ExpectSameCodes(y, RunConv(suffix, batch, p, rest)[0]);
    }
    const at::Tensor floats = at::randn(sizes);
    EXPECT_TRUE(
        RunConv("_dynamic", floats, p, {false})
            .equal(RunConv("_dynamic", floats.unsqueeze(0), p, {false})[0]));
  }
}

TEST_F(ConvOpsTest, TakeEmptyBatches) {
  const FbgemmConvParameters p = ConvParameters(RandomWeight({6, 3, 3, 3}));
  EXPECT_EQ(
      RunConv("", RandomCodes({0, 3, 5, 5}), p, {0.1, int64_t{0}}).sizes(),
      at::IntArrayRef({0, 6, 3, 3}));
  EXPECT_EQ(RunConv("_dynamic", at::ones({0, 3, 5, 5}), p, {false}).sizes(),
            at::IntArrayRef({0, 6, 3, 3}));
}

TEST_F(ConvOpsTest, GiveChannelsLastOutputs) {
  EXPECT_TRUE(RunConv("", RandomCodes({2, 3, 5, 5}),
                      ConvParameters(RandomWeight({6, 3, 3, 3})),
                      {0.1, int64_t{0}})
                  .is_contiguous(at::MemoryFormat::ChannelsLast));
}

TEST_F(ConvOpsTest, TakeHugeAndTinyScales) {
  const FbgemmConvParameters p =
      ConvParameters(RandomWeight({6, 3, 3, 3}), at::full({6}, kInf));
  for (const double in : {1e-45, 1e-30, 1e30, 3e38}) {
    for (const double out : {1e-45, 1e-30, 1e30, 3e38}) {
      EXPECT_EQ(RunConv("", RandomCodes({1, 3, 5, 5}, in), p, {out, int64_t{9}})
                    .numel(),
                54);
    }
  }
}

TEST_F(ConvOpsTest, RefuseOtherInputs) {
  const FbgemmConvParameters p = ConvParameters(RandomWeight({6, 3, 3, 3}));
  const c10::IValue layer = FbgemmConvOf(p);
  const at::Tensor per_channel = at::_make_per_channel_quantized_tensor(
      at::ones({1, 3, 5, 5}, at::kByte), at::ones({3}, at::kDouble),
      at::zeros({3}, at::kLong), 1);
  for (const at::Tensor& bad : {at::ones({1, 3, 5, 5}), per_channel,
                                RandomWeight({1, 3, 5, 5}), at::Tensor()}) {
    ExpectRefused("ns::fbgemm_conv2d", {bad, layer, 0.1, 0},
                  "takes quint8 tensors");
  }
  const at::Tensor x = RandomCodes({1, 3, 5, 5});
  for (const Ints& sizes : {Ints{1, 4, 5, 5}, Ints{4, 5, 5}, Ints{}, Ints{3, 5},
                            Ints{1, 3, 5}, Ints{1, 3, 5, 5, 5}}) {
    ExpectRefused("ns::fbgemm_conv2d", {RandomCodes(sizes), layer, 0.1, 0},
                  "takes a batch of 3 channels");
  }
  for (const Ints& sizes : {Ints{1, 3, 2, 5}, Ints{1, 3, 5, 0}}) {
    ExpectRefused("ns::fbgemm_conv2d", {RandomCodes(sizes), layer, 0.1, 0},
                  "too small for the kernel");
  }
  for (const double scale : {0.0, -0.5, kInf, kNan}) {
    ExpectRefused("ns::fbgemm_conv2d", {x, layer, scale, 0},
                  "positive and finite");
  }
  ExpectRefused("ns::fbgemm_conv2d", {x, layer, 0.1, -1}, "must be 0 to 255");
  ExpectRefused("ns::fbgemm_conv2d_dynamic", {x, layer, false},
                "takes float tensors");
  at::Tensor infinite = at::ones({1, 3, 5, 5});
  infinite[0][0][0][0] = kInf;
  ExpectRefused("ns::fbgemm_conv2d_dynamic", {infinite, layer, false},
                "holds infinities");
}

// Those of conv3d take the way of a GEMM where the kernel has depth 1.
TEST_F(ConvOpsTest, DepthwiseSumsSaturateWithVnniWhereFbgemmHasAKernel) {
  const auto sums = [](const Ints& kernel, kernels::SaturationMode mode) {
    Ints sizes = {8, 1};
    sizes.insert(sizes.end(), kernel.begin(), kernel.end());
    FbgemmConvParameters p = ConvParameters(
        at::quantize_per_tensor(at::full(sizes, 127.0F), 1, 0, at::kQInt8));
    p.groups = 8;
    for (size_t i = 0; i < kernel.size(); ++i) {
      p.padding[i] = kernel[i] / 2;
    }
    Ints input = {1, 8};
    input.insert(input.end(), kernel.begin(), kernel.end());
    OutputQParams output;
    output.type = kernels::OutputType::kS32;
    return FbgemmConv(p, mode).Run(
        at::quantize_per_tensor(at::full(input, 255.0F), 1, 0, at::kQUInt8),
        output);
  };
  const auto saturates = [&](const Ints& kernel) {
    return !sums(kernel, kernels::SaturationMode::kFbgemmVnni)
                .equal(sums(kernel, kernels::SaturationMode::kExact));
  };
  EXPECT_TRUE(saturates({3, 3}));
  EXPECT_TRUE(saturates({3, 3, 3}));
  EXPECT_FALSE(saturates({1, 3, 3}));
}

TEST_F(ConvOpsTest, RefuseLayersOfOtherOps) {
  const c10::IValue layer =
      FbgemmConvOf(ConvParameters(RandomWeight({6, 3, 3, 3})));
  const at::Tensor x = RandomCodes({1, 3, 5, 5});
  for (const char* op : {"conv1d", "conv3d", "conv_transpose2d"}) {
    ExpectRefused(std::string("ns::fbgemm_") + op, {x, layer, 0.1, 0},
                  "and the layer is another");
  }
  ExpectRefused("ns::fbgemm_linear", {x, layer, 0.1, 0}, "");
}

using State = std::tuple<at::Tensor, c10::optional<at::Tensor>, Ints, Ints,
                         Ints, Ints, int64_t, bool, std::string>;

TEST_F(ConvOpsTest, GiveTheSameCodesWhenLoaded) {
  FbgemmConvParameters p =
      ConvParameters(RandomWeightPerChannel({6, 2, 3, 2})
                         .contiguous(at::MemoryFormat::ChannelsLast),
                     at::randn({6}));
  p.groups = 2;
  p.stride = {2, 1};
  p.padding = {1, 0};
  p.dilation = {1, 2};
  const at::Tensor x = RandomCodes({2, 4, 9, 8});
  ExpectSameCodes(
      Output("ns::fbgemm_conv2d", {x, Reloaded(FbgemmConvOf(p)), 0.1, 7}),
      Output("ns::fbgemm_conv2d", {x, FbgemmConvOf(p), 0.1, 7}));
  FbgemmConvParameters t = ConvParameters(RandomWeight({4, 3, 3}));
  t.transposed = true;
  t.stride = {2};
  t.output_padding = {1};
  const at::Tensor y = RandomCodes({2, 4, 9});
  ExpectSameCodes(
      Output("ns::fbgemm_conv_transpose1d",
             {y, Reloaded(FbgemmConvOf(t)), 0.1, 7}),
      Output("ns::fbgemm_conv_transpose1d", {y, FbgemmConvOf(t), 0.1, 7}));
}

TEST_F(ConvOpsTest, RefuseDamagedState) {
  const at::Tensor weight = RandomWeight({6, 3, 3, 3});
  const Ints ones = {1, 1};
  const Ints none;
  const auto refuse = [](const State& state, const std::string& why) {
    ExpectStateRefused("FbgemmConv", c10::IValue(state), why);
  };
  FromState("FbgemmConv", c10::IValue(State{weight, c10::nullopt, ones, ones,
                                            ones, none, 1, false, "exact"}));
  refuse({weight.dequantize(), c10::nullopt, ones, ones, ones, none, 1, false,
          "exact"},
         "must be a qint8 tensor");
  refuse(
      {at::Tensor(), c10::nullopt, ones, ones, ones, none, 1, false, "exact"},
      "three to five dimensions");
  refuse({RandomWeight({6, 3}), c10::nullopt, ones, ones, ones, none, 1, false,
          "exact"},
         "three to five dimensions");
  refuse({weight, c10::nullopt, {1}, ones, ones, none, 1, false, "exact"},
         "one number for each dimension");
  refuse({weight, c10::nullopt, ones, {1, 1, 1}, ones, none, 1, false, "exact"},
         "one number for each dimension");
  refuse({weight, c10::nullopt, ones, ones, none, none, 1, false, "exact"},
         "one number for each dimension");
  refuse({weight, c10::nullopt, ones, ones, ones, ones, 1, false, "exact"},
         "one number for each dimension");
  refuse({weight, c10::nullopt, ones, ones, ones, none, 1, true, "exact"},
         "one number for each dimension");
  refuse({weight, c10::nullopt, {0, 1}, ones, ones, none, 1, false, "exact"},
         "at least 1");
  refuse({weight, c10::nullopt, ones, {-1, 0}, ones, none, 1, false, "exact"},
         "not negative");
  refuse({weight, c10::nullopt, ones, ones, ones, none, 0, false, "exact"},
         "at least 1");
  refuse({weight, c10::nullopt, ones, ones, ones, none, 4, false, "exact"},
         "groups do not divide");
  refuse({weight, at::ones({5}), ones, ones, ones, none, 1, false, "exact"},
         "bias must be 6 floats");
  refuse({weight, c10::nullopt, ones, ones, ones, none, 1, false, "fast"},
         "unknown numerics 'fast'");
  refuse({RandomWeightPerChannel({6, 3, 3, 3}, 1), c10::nullopt, ones, ones,
          ones, none, 1, false, "exact"},
         "each index of dimension 0");
  refuse({weight,
          c10::nullopt,
          {1ll << 62, 1ll << 62},
          ones,
          {1ll << 62, 1ll << 62},
          none,
          1ll << 62,
          false,
          "exact"},
         "");
}

}  // namespace
}  // namespace ns
