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

}  // namespace
}  // namespace ns
