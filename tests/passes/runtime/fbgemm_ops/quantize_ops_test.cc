#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const std::vector<std::vector<int64_t>> kShapes = {
    {}, {0}, {1}, {301}, {3, 0, 2}, {3, 5}, {2, 7, 5, 3}, {2, 3, 4, 5, 6}};

TEST(QuantizeOpsTest, QuantizeAsLibTorchInAllLayouts) {
  for (const auto& shape : kShapes) {
    for (const int64_t zero_point : {0, 77, 255}) {
      for (const auto& [name, layout] : Layouts(RandomCodes(shape))) {
        SCOPED_TRACE(name);
        at::Tensor x = at::empty_strided(layout.sizes(), layout.strides());
        x.copy_(at::randn(shape) * 5);
        ExpectSameCodes(
            Output("ns::fbgemm_quantize", {x, 0.05, zero_point}),
            at::quantize_per_tensor(x, 0.05, zero_point, at::kQUInt8));
      }
    }
  }
}

TEST(QuantizeOpsTest, DequantizeAsLibTorchInAllLayouts) {
  for (const auto& shape : kShapes) {
    for (const int64_t zero_point : {0, 77, 255}) {
      for (const auto& [name, x] :
           Layouts(RandomCodes(shape, 0.07, zero_point))) {
        SCOPED_TRACE(name);
        const at::Tensor out = Output("ns::fbgemm_dequantize", {x});
        EXPECT_EQ(out.scalar_type(), at::kFloat);
        EXPECT_TRUE(out.equal(x.dequantize()));
      }
    }
  }
}

TEST(QuantizeOpsTest, RequantizeAsThePairOfThem) {
  for (const auto& shape : kShapes) {
    for (const double scale : {0.07, 0.14, 0.035, 0.5, 0.001}) {
      for (const int64_t zero_point : {0, 77, 255}) {
        for (const auto& [name, x] :
             Layouts(RandomCodes(shape, 0.07, zero_point))) {
          SCOPED_TRACE(name);
          ExpectSameCodes(
              Output("ns::fbgemm_requantize", {x, scale, 255 - zero_point}),
              at::quantize_per_tensor(x.dequantize(), scale, 255 - zero_point,
                                      at::kQUInt8));
        }
      }
    }
  }
}

TEST(QuantizeOpsTest, QuantizeTies) {
  for (const double scale : {0.5, 0.1, 0.3}) {
    const at::Tensor x = at::arange(-400, 400, at::kFloat) * (scale / 2);
    for (const int64_t zero_point : {0, 1, 128, 255}) {
      ExpectSameCodes(
          Output("ns::fbgemm_quantize", {x, scale, zero_point}),
          at::quantize_per_tensor(x, scale, zero_point, at::kQUInt8));
    }
  }
}

// As fbgemm does, not this LibTorch without it
// (kernels/elementwise/quantize.h).
TEST(QuantizeOpsTest, QuantizeInfinitiesAndNans) {
  at::Tensor x = at::zeros({3});
  x[0] = kInf;
  x[1] = -kInf;
  x[2] = kNan;
  const at::Tensor codes =
      Output("ns::fbgemm_quantize", {x, 0.1, 7}).int_repr();
  EXPECT_EQ(codes[0].item<int>(), 255);
  EXPECT_EQ(codes[1].item<int>(), 0);
  EXPECT_EQ(codes[2].item<int>(), 255);
}

TEST(QuantizeOpsTest, DequantizeToLibTorchsLayouts) {
  for (const auto& [name, codes] : Layouts(RandomCodes({2, 3, 4, 5}))) {
    SCOPED_TRACE(name);
    EXPECT_EQ(Output("ns::fbgemm_dequantize", {codes}).strides(),
              at::dequantize(codes).strides());
  }
}

TEST(QuantizeOpsTest, TakeHugeAndTinyScales) {
  const at::Tensor x = at::randn({70}) * 1e20;
  for (const double scale : {1e-45, 1e-30, 1e30, 3e38}) {
    const at::Tensor q = Output("ns::fbgemm_quantize", {x, scale, 128});
    Output("ns::fbgemm_dequantize", {q});
    for (const double other : {1e-45, 1e-30, 1e30, 3e38}) {
      EXPECT_EQ(Output("ns::fbgemm_requantize", {q, other, 128}).numel(), 70);
    }
  }
}

TEST(QuantizeOpsTest, RefuseOtherInputs) {
  for (const at::Tensor& bad :
       {RandomCodes({4}), at::ones({4}, at::kDouble), at::ones({4}, at::kHalf),
        at::ones({4}, at::kInt), at::Tensor()}) {
    ExpectRefused("ns::fbgemm_quantize", {bad, 0.1, 0}, "takes float tensors");
  }
  const at::Tensor per_channel = at::_make_per_channel_quantized_tensor(
      at::ones({4}, at::kByte), at::ones({4}, at::kDouble),
      at::zeros({4}, at::kLong), 0);
  for (const at::Tensor& bad :
       {at::ones({4}), RandomWeight({4}), per_channel, at::Tensor()}) {
    ExpectRefused("ns::fbgemm_dequantize", {bad}, "takes quint8 tensors");
    ExpectRefused("ns::fbgemm_requantize", {bad, 0.1, 0},
                  "takes quint8 tensors");
  }
  for (const double scale : {0.0, -1.0, kInf, kNan}) {
    ExpectRefused("ns::fbgemm_quantize", {at::ones({4}), scale, 0},
                  "positive and finite");
    ExpectRefused("ns::fbgemm_requantize", {RandomCodes({4}), scale, 0},
                  "positive and finite");
  }
  ExpectRefused("ns::fbgemm_quantize", {at::ones({4}), 0.1, 256},
                "must be 0 to 255");
  ExpectRefused("ns::fbgemm_requantize", {RandomCodes({4}), 0.1, -1},
                "must be 0 to 255");
}

}  // namespace
}  // namespace ns
