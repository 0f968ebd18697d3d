#include "passes/runtime/tensor_fingerprint.h"

#include <ATen/ATen.h>

#include "gtest/gtest.h"

namespace ns {
namespace {

uint64_t Hash(const at::Tensor& tensor) { return TensorFingerprint(tensor, 0); }

TEST(TensorFingerprintTest, EqualBitsHaveEqualHashesInAnyMemoryFormat) {
  const at::Tensor x = at::randn({2, 3, 4, 5});
  EXPECT_EQ(Hash(x), Hash(x.clone()));
  EXPECT_EQ(Hash(x), Hash(x.contiguous(at::MemoryFormat::ChannelsLast)));
  EXPECT_EQ(Hash(x.transpose(1, 2)), Hash(x.transpose(1, 2).contiguous()));
  EXPECT_EQ(Hash(at::empty({0, 3})), Hash(at::empty({0, 3})));
}

TEST(TensorFingerprintTest, OneBitChangesTheHash) {
  const at::Tensor x = at::ones({64});
  at::Tensor y = x.clone();
  y[63] = 1 + 1.2e-7;
  EXPECT_NE(Hash(x), Hash(y));
  EXPECT_NE(Hash(at::tensor(0.0)), Hash(at::tensor(-0.0)));
}

TEST(TensorFingerprintTest, ShapeDtypeAndSeedCount) {
  const at::Tensor x = at::zeros({6});
  EXPECT_NE(Hash(x), Hash(x.reshape({2, 3})));
  EXPECT_NE(Hash(x), Hash(x.to(at::kInt)));
  EXPECT_NE(Hash(x), TensorFingerprint(x, 1));
  EXPECT_NE(Hash(at::zeros({0, 3})), Hash(at::zeros({3, 0})));
}

TEST(TensorFingerprintTest, QuantizationParametersCount) {
  const at::Tensor x = at::ones({2, 3});
  const auto quantized = [&](double scale, int64_t zero_point) {
    return Hash(at::quantize_per_tensor(x, scale, zero_point, at::kQUInt8));
  };
  EXPECT_EQ(quantized(0.5, 3), quantized(0.5, 3));
  // The same integers stand for other values.
  EXPECT_NE(quantized(0.25, 3), quantized(0.5, 5));
  EXPECT_NE(quantized(0.5, 3), quantized(0.5, 4));
  const auto per_channel = [&](double scale) {
    return Hash(
        at::quantize_per_channel(x, at::tensor({0.5, scale}, at::kDouble),
                                 at::tensor({0, 0}, at::kLong), 0, at::kQInt8));
  };
  EXPECT_EQ(per_channel(0.5), per_channel(0.5));
  EXPECT_NE(per_channel(0.5), per_channel(0.25));
}

}  // namespace
}  // namespace ns
