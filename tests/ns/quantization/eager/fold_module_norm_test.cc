#include "ns/quantization/eager/fold_module_norm.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Module;

TEST(FoldModuleNormTest, TheLayerComputesBoth) {
  const Module conv = Conv2d(at::randn({3, 2, 2, 2}));
  const Module norm = BatchNorm2d(3);
  const Module folded = OrThrow(FoldModuleNorm(conv, norm));
  const at::Tensor x = at::randn({1, 2, 5, 5});
  EXPECT_TRUE(at::allclose(OutputOf(folded, x),
                           OutputOf(norm, OutputOf(conv, x)), 1e-5, 1e-5));
  // The norm's own shift is its bias now.
  EXPECT_EQ(folded.attr("bias").toTensor().sizes(), at::IntArrayRef({3}));
  EXPECT_FALSE(conv.hasattr("bias"));
}

TEST(FoldModuleNormTest, SaysWhatIsNoLayerAndNoNorm) {
  const Module conv = Conv2d(at::randn({3, 2, 2, 2}));
  EXPECT_THAT(MessageOf(FoldModuleNorm(Relu(), BatchNorm2d(3))),
              HasSubstr("its code has 0 layers instead of one"));
  EXPECT_THAT(MessageOf(FoldModuleNorm(conv, Relu())),
              HasSubstr("its code has 0 batch norms instead of one"));
  EXPECT_FALSE(FoldModuleNorm(conv, BatchNorm2d(4)).ok());
}

}  // namespace
}  // namespace ns
