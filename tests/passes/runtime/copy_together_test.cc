#include "passes/runtime/copy_together.h"

#include <ATen/Functions.h>

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::SizeIs;

TEST(CopyTogetherTest, CopiesOverlapAsTheirOriginalsDo) {
  const at::Tensor x = at::arange(16, at::kFloat).reshape({4, 4});
  const at::Tensor original = x.clone();
  const at::Tensor part = x.slice(1, 1, 4);
  const std::vector<at::Tensor> copies =
      CopyTogether({part, at::ones({2}), x.t(), x.select(0, 3)});
  ASSERT_THAT(copies, SizeIs(4));
  EXPECT_TRUE(copies[0].equal(part));
  EXPECT_TRUE(copies[1].equal(at::ones({2})));
  EXPECT_TRUE(copies[2].equal(x.t()));
  EXPECT_TRUE(copies[3].equal(x.select(0, 3)));
  EXPECT_EQ(copies[0].strides(), part.strides());
  EXPECT_EQ(copies[2].strides(), x.t().strides());
  copies[0].zero_();
  EXPECT_EQ(copies[2].select(0, 0).min().item<float>(), 0);
  EXPECT_EQ(copies[2].slice(0, 1, 4).abs().max().item<float>(), 0);
  EXPECT_EQ(copies[3].max().item<float>(), 12);
  EXPECT_TRUE(x.equal(original));
}

// As an op in place computes with what it has overwritten already.
TEST(CopyTogetherTest, OpsInPlaceComputeTheSame) {
  const at::Tensor x = at::randn({4, 8}).slice(1, 2, 6);
  const std::vector<at::Tensor> copies = CopyTogether({x.t(), x});
  copies[0].add_(copies[1]);
  x.t().add_(x);
  EXPECT_TRUE(copies[0].equal(x.t()));
}

TEST(CopyTogetherTest, QuantizedAndBroadcastTensorsAreCopied) {
  const at::Tensor q = at::quantize_per_tensor(
      at::arange(6, at::kFloat).reshape({2, 3}), 0.5, 3, at::kQUInt8);
  const at::Tensor wide = q.select(1, 0).unsqueeze(1).expand({2, 3});
  const std::vector<at::Tensor> copies = CopyTogether({q, wide});
  EXPECT_TRUE(copies[0].equal(q));
  EXPECT_TRUE(copies[1].dequantize().equal(wide.dequantize()));
  EXPECT_EQ(copies[1].strides(), wide.strides());
  EXPECT_TRUE(copies[0].is_alias_of(copies[1]));
  EXPECT_FALSE(copies[0].is_alias_of(q));
}

TEST(CopyTogetherTest, TensorsWithoutSharedMemoryAreCloned) {
  const at::Tensor x = at::ones({2, 2});
  const at::Tensor empty = x.slice(0, 0, 0);
  const std::vector<at::Tensor> copies =
      CopyTogether({x, empty, x.to(at::kDouble), at::ones({2, 2}).to_sparse()});
  ASSERT_THAT(copies, SizeIs(4));
  EXPECT_TRUE(copies[0].equal(x));
  EXPECT_EQ(copies[1].sizes(), empty.sizes());
  EXPECT_EQ(copies[2].scalar_type(), at::kDouble);
  EXPECT_TRUE(copies[3].is_sparse());
  EXPECT_FALSE(copies[0].is_alias_of(x));
}

}  // namespace
}  // namespace ns
