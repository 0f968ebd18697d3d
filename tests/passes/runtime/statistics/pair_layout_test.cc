#include "passes/runtime/statistics/pair_layout.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

// Expects that both keep their values, and visit them in the same order.
void ExpectMeet(const at::Tensor& x, const at::Tensor& y) {
  for (const bool swapped : {false, true}) {
    at::Tensor a = swapped ? y : x;
    at::Tensor b = swapped ? x : y;
    const at::Tensor values_a = a.clone();
    const at::Tensor values_b = b.clone();
    BringToSameLayout(a, b);
    EXPECT_TRUE(HaveSameLayout(a, b)) << a.strides() << b.strides();
    EXPECT_TRUE(a.equal(values_a));
    EXPECT_TRUE(b.equal(values_b));
  }
}

// Of floats and of bytes, which are copied by code of ours, and of others.
std::vector<at::Tensor> OfAllTypes(const at::Tensor& x) {
  return {x, x.mul(255).to(at::kByte), x.to(at::kDouble), x.to(at::kHalf)};
}

TEST(PairLayoutTest, ChannelsLastMeetsChannelsFirst) {
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{2, 3, 4, 5},
                                            {1, 1, 1, 1},
                                            {3, 16, 33, 65},
                                            {2, 130, 7, 9},
                                            {4, 3, 1, 1},
                                            {0, 3, 4, 5}}) {
    for (const at::Tensor& x : OfAllTypes(at::rand(sizes))) {
      for (const at::Tensor& y : OfAllTypes(at::rand(sizes))) {
        ExpectMeet(x, y.contiguous(at::MemoryFormat::ChannelsLast));
      }
    }
  }
}

TEST(PairLayoutTest, VideosMeet) {
  for (const at::Tensor& x : OfAllTypes(at::rand({2, 3, 4, 5, 6}))) {
    ExpectMeet(
        x,
        at::rand({2, 3, 4, 5, 6}).contiguous(at::MemoryFormat::ChannelsLast3d));
  }
}

// squeeze and unsqueeze leave any stride on a dimension of one.
TEST(PairLayoutTest, OneImageMayHaveAnyStride) {
  for (const at::Tensor& x : OfAllTypes(at::rand({1, 3, 40, 40}))) {
    const at::Tensor last = x.contiguous(at::MemoryFormat::ChannelsLast);
    for (const int64_t stride : {1, 3, 100, 20000}) {
      ExpectMeet(x, last.as_strided(last.sizes(), {stride, 1, 3 * 40, 3}));
      ExpectMeet(last, x.as_strided(x.sizes(), {stride, 40 * 40, 40, 1}));
    }
  }
}

TEST(PairLayoutTest, EqualLayoutsStayAsTheyAre) {
  at::Tensor x = at::rand({2, 3, 4, 5});
  at::Tensor y = at::rand({2, 3, 4, 5});
  const at::Tensor before = y;
  EXPECT_TRUE(HaveSameLayout(x, y));
  BringToSameLayout(x, y);
  EXPECT_TRUE(y.is_same(before));
}

}  // namespace
}  // namespace ns
