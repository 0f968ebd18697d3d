#include "passes/runtime/dtype_casts.h"

#include <ATen/Functions.h>

#include "gtest/gtest.h"

namespace ns {
namespace {

const at::Tensor& Float() {
  static const at::Tensor x = at::tensor({-1.0f, 0.3f, 2.0f});
  return x;
}

at::Tensor Quantized() {
  return at::quantize_per_tensor(Float(), 0.25, 10, at::kQUInt8);
}

TEST(DtypeCastsTest, AsFloatDequantizesAndWidens) {
  EXPECT_TRUE(AsFloat(Quantized()).equal(Quantized().dequantize()));
  const at::Tensor half = Float().to(at::kHalf);
  EXPECT_TRUE(AsFloat(half).equal(half.to(at::kFloat)));
}

TEST(DtypeCastsTest, AsFloatDequantizesEveryCodeAsLibTorchDoes) {
  const at::Tensor codes = at::arange(256, at::kByte);
  for (const double scale : {0.1, 3.7e-5, 1.0 / 3}) {
    for (const int64_t zero_point : {0, 7, 128, 255}) {
      const at::Tensor x =
          at::_make_per_tensor_quantized_tensor(codes, scale, zero_point);
      EXPECT_TRUE(AsFloat(x).equal(x.dequantize()));
      const at::Tensor with_sign = at::_make_per_tensor_quantized_tensor(
          codes.to(at::kChar), scale, zero_point - 128);
      EXPECT_TRUE(AsFloat(with_sign).equal(with_sign.dequantize()));
    }
  }
}

TEST(DtypeCastsTest, AsFloatKeepsTheLayout) {
  const at::Tensor x =
      at::quantize_per_tensor(at::randn({2, 3, 4, 5}), 0.1, 10, at::kQUInt8);
  const at::Tensor last = x.contiguous(at::MemoryFormat::ChannelsLast);
  EXPECT_EQ(AsFloat(last).strides(), last.strides());
  EXPECT_TRUE(AsFloat(last).equal(x.dequantize()));
  const at::Tensor part = x.slice(3, 1, 4);
  EXPECT_TRUE(AsFloat(part).equal(part.dequantize()));
  const at::Tensor by_channel =
      at::quantize_per_channel(at::randn({3, 4}), at::tensor({0.1, 0.2, 0.3}),
                               at::tensor({0, 1, 2}), 0, at::kQInt8);
  EXPECT_TRUE(AsFloat(by_channel).equal(by_channel.dequantize()));
}

TEST(DtypeCastsTest, AsFloatHandsOnWhatItNeedNotCast) {
  const at::Tensor indices = at::arange(3);
  EXPECT_TRUE(AsFloat(indices).is_same(indices));
  EXPECT_TRUE(AsFloat(Float()).is_same(Float()));
  const at::Tensor wide = Float().to(at::kDouble);
  EXPECT_TRUE(AsFloat(wide).is_same(wide));
}

TEST(DtypeCastsTest, AsHalfRoundsNumbersOnly) {
  EXPECT_TRUE(AsHalf(Float()).equal(Float().to(at::kHalf)));
  EXPECT_TRUE(
      AsHalf(Quantized()).equal(Quantized().dequantize().to(at::kHalf)));
  const at::Tensor mask = at::ones({2}, at::kBool);
  EXPECT_TRUE(AsHalf(mask).is_same(mask));
}

TEST(DtypeCastsTest, AsQuantizedUsesTheParameters) {
  const at::Tensor q = AsQuantized(Float(), 0.25, 10, at::kQUInt8);
  EXPECT_TRUE(q.equal(Quantized()));
  const at::Tensor s = AsQuantized(Float().to(at::kHalf), 0.5, 0, at::kQInt8);
  EXPECT_EQ(s.scalar_type(), at::kQInt8);
  EXPECT_EQ(s.q_scale(), 0.5);
}

TEST(DtypeCastsTest, AsQuantizedKeepsQuantizedTensorsAndIndices) {
  const at::Tensor q = Quantized();
  EXPECT_TRUE(AsQuantized(q, 0.5, 0, at::kQInt8).is_same(q));
  const at::Tensor indices = at::arange(3);
  EXPECT_TRUE(AsQuantized(indices, 0.5, 0, at::kQInt8).is_same(indices));
}

TEST(DtypeCastsTest, QuantizedLikeTakesDtypeAndQParams) {
  EXPECT_TRUE(QuantizedLike(Float(), Quantized()).equal(Quantized()));
  EXPECT_TRUE(QuantizedLike(Float(), Float()).is_same(Float()));
  const at::Tensor half = Float().to(at::kHalf);
  EXPECT_TRUE(QuantizedLike(Float(), half).equal(half));
  const at::Tensor indices = at::arange(3);
  EXPECT_TRUE(QuantizedLike(indices, Quantized()).is_same(indices));
}

}  // namespace
}  // namespace ns
