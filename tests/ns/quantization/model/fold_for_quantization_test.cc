#include "ns/quantization/model/fold_for_quantization.h"

#include <ATen/Functions.h>

#include <string>

#include "gtest/gtest.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

const char kNorm[] =
    "torch.batch_norm(y, self.gamma, self.beta, self.b, self.gamma.abs(), "
    "False, 0.1, 1e-5, True)";

TEST(FoldForQuantizationTest, NormsAndOpsInPlaceAreGone) {
  ModelGraph model =
      FloatModel({"y = torch.conv2d(x, self.w2, self.b)",
                  std::string("y = ") + kNorm, "return y.relu_()"});
  ModelGraph folded = OrThrow(FoldForQuantization(model, /*compat=*/false));
  EXPECT_TRUE(NodesOf(folded.graph(), "aten::batch_norm").empty());
  EXPECT_TRUE(NodesOf(folded.graph(), "aten::relu_").empty());
  EXPECT_EQ(NodesOf(folded.graph(), "aten::relu").size(), 1);
  // The one that was given is as it was.
  EXPECT_EQ(NodesOf(model.graph(), "aten::batch_norm").size(), 1);
  const at::Tensor x = at::rand({2, 3, 8, 8});
  EXPECT_TRUE(OrThrow(folded.Run({x}))
                  .toTensor()
                  .allclose(OrThrow(model.Run({x})).toTensor(), 1e-4, 1e-5));
}

TEST(FoldForQuantizationTest, ANormBehindAComputedWeightStays) {
  const ModelGraph model =
      FloatModel({"y = torch.conv2d(x, self.w2[0:2], None)",
                  std::string("return ") + kNorm});
  const ModelGraph folded =
      OrThrow(FoldForQuantization(model, /*compat=*/false));
  EXPECT_EQ(NodesOf(folded.graph(), "aten::batch_norm").size(), 1);
}

}  // namespace
}  // namespace ns
