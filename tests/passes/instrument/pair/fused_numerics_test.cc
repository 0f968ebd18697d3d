// What fused float convolutions compute, for random ones.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/fused_convs.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

struct Numeric {
  int64_t groups = 1;
  int64_t in = 1;
  int64_t out = 1;
  std::vector<int64_t> kernel;
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  std::vector<int64_t> dilation;
  bool has_bias = true;
  bool has_batch_norm = true;
  bool is_affine = true;
  bool has_relu = true;
};

class FusedNumericsTest : public FuseFloatConvsTest {
 protected:
  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  Numeric RandomNumeric() {
    Numeric one;
    one.groups = Pick(1, 4);
    one.in = one.groups * Pick(1, 8);
    one.out = one.groups * Pick(1, 8);
    if (Pick(0, 3) == 0) {
      one.out = one.groups = one.in;  // depthwise
    }
    const auto two = [&](int64_t low, int64_t high) {
      return std::vector<int64_t>{Pick(low, high), Pick(low, high)};
    };
    one.kernel = two(1, 5);
    one.stride = two(1, 3);
    one.padding = two(0, 2);
    one.dilation = two(1, 2);
    one.has_bias = Pick(0, 1) == 1;
    one.has_batch_norm = Pick(0, 1) == 1;
    one.is_affine = Pick(0, 1) == 1;
    one.has_relu = Pick(0, 1) == 1;
    return one;
  }

  std::string Body(const Numeric& one) {
    tensors_ = {{"w", at::randn({one.out, one.in / one.groups, one.kernel[0],
                                 one.kernel[1]})},
                {"b", at::randn({one.out})},
                {"mean", at::randn({one.out})},
                {"var", at::rand({one.out}) + 0.1},
                {"gamma", at::randn({one.out})},
                {"beta", at::randn({one.out})}};
    const auto list = [](const char* name, const std::vector<int64_t>& two) {
      return absl::StrCat("  %", name, " : int[] = prim::Constant[value=[",
                          two[0], ", ", two[1], "]]()\n");
    };
    std::string result = "%c";
    std::string body = absl::StrCat(
        list("stride", one.stride), list("padding", one.padding),
        list("dilation", one.dilation),
        "  %groups : int = prim::Constant[value=", one.groups, "]()\n",
        "  %c : Tensor = aten::conv2d(%x, %w, ", one.has_bias ? "%b" : "%none",
        ", %stride, %padding, %dilation, ", "%groups)\n");
    if (one.has_batch_norm) {
      absl::StrAppend(&body, "  %n : Tensor = aten::batch_norm(%c, ",
                      one.is_affine ? "%gamma, %beta" : "%none, %none",
                      ", %mean, %var, %no, %eps, %eps, %no)\n");
      result = "%n";
    }
    if (one.has_relu) {
      absl::StrAppend(&body, "  %y : Tensor = aten::relu(", result, ")\n");
      result = "%y";
    }
    return absl::StrCat(body, "  return (", result, ")");
  }

  at::Tensor RandomInput(const Numeric& one) {
    return at::randn({Pick(1, 3), one.in, Pick(10, 18), Pick(10, 18)});
  }

  std::mt19937 random_{8};
};

TEST_F(FusedNumericsTest, StaysWithinTolerance) {
  for (int i = 0; i < 60; ++i) {
    const Numeric one = RandomNumeric();
    const std::string body = Body(one);
    SCOPED_TRACE(absl::StrCat("case ", i, "\n", body));
    ModelGraph fused = Fused(body);
    EXPECT_EQ(AllNodes(fused.graph()).size() -
                  NodesOf(fused.graph(), "prim::Constant").size(),
              one.has_relu ? 3 : 2);
    ModelGraph plain = Model(body);
    for (int call = 0; call < 3; ++call) {
      const at::Tensor x = RandomInput(one);
      ExpectNear(fused, plain, x);
      ExpectNear(fused, plain, x.contiguous(at::MemoryFormat::ChannelsLast));
      ExpectNear(fused, plain, x.slice(2, 0, 10).slice(3, 0, 10));
    }
    // A batch norm takes batches only.
    if (!one.has_batch_norm) {
      ExpectNear(fused, plain, RandomInput(one)[0]);
    }
    const at::Tensor wide = at::randn({1, 2 * one.in, 10, 10});
    ExpectNear(fused, plain, wide.slice(1, 1, one.in + 1));
    ExpectNear(
        fused, plain,
        at::randn({1, one.in, 20, 20}).slice(2, 0, 20, 2).transpose(2, 3));
  }
}

TEST_F(FusedNumericsTest, TakesEmptyBatches) {
  for (int i = 0; i < 8; ++i) {
    const Numeric one = RandomNumeric();
    const std::string body = Body(one);
    SCOPED_TRACE(body);
    ModelGraph fused = Fused(body);
    ModelGraph plain = Model(body);
    ExpectNear(fused, plain, at::randn({0, one.in, 10, 12}));
  }
}

}  // namespace
}  // namespace ns
