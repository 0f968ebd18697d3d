// PyTorch's cases of fusing batch norms, see tests/README.md.
#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/quantization/eager/prepare_and_convert.h"
#include "ns/quantization/eager/qat_switches.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/reference_models.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Module;

constexpr char kIdentity[] = "torch.nn.modules.linear.Identity";
constexpr char kQat[] = "torch.nn.intrinsic.qat.modules.";

class ReferenceFuseNormsTest : public EngineTest {
 protected:
  ReferenceFuseNormsTest() { at::manual_seed(1); }

  static Backend EngineBackend() {
    return GetParam() == at::kONEDNN ? Backend::kOnednn : Backend::kQnnpack;
  }
};

TEST_P(ReferenceFuseNormsTest, WithBiasesNormsLearnWhatTheyLearnUnfused) {
  const auto conv = [](const std::vector<int64_t>& weight) {
    return LayerOf("conv.Conv2d", "conv2d", at::randn(weight),
                   at::randn({weight[0]}));
  };
  Module plain = MakeModel(
      {{"conv1", conv({2, 3, 5, 5})},
       {"bn1", BatchNorm("2d", 2)},
       {"relu1", Relu()},
       {"conv2", conv({2, 2, 1, 1})},
       {"bn2", BatchNorm("2d", 2)}},
      {"y = self.relu1.forward(self.bn1.forward(self.conv1.forward(x)))",
       "return self.bn2.forward(self.conv2.forward(y))"});
  plain.train();
  FuseModulesOptions fuse;
  fuse.qat = true;
  const Module fused = OrThrow(
      FuseModules(plain, {{"conv1", "bn1", "relu1"}, {"conv2", "bn2"}}, fuse));
  // Copies the parameters before any of the models learns.
  Module prepared = OrThrow(PrepareQat(fused, {{"", DefaultQatQConfig()}}));
  Module observed =
      OrThrow(PrepareQat(fused, {{"", GetDefaultQConfig(EngineBackend())}}));
  DisableFakeQuant(prepared);
  const at::Tensor x = at::randn({4, 3, 10, 10});
  EXPECT_TRUE(OutputOf(prepared, x).allclose(OutputOf(plain, x), 1e-4, 1e-5));
  for (const std::string number : {"1", "2"}) {
    const Module norm = ChildAt(plain, "bn" + number);
    const Module inside =
        ChildAt(prepared, absl::StrCat("conv", number, ".bn"));
    for (const char* name : {"weight", "bias", "running_mean", "running_var"}) {
      EXPECT_TRUE(inside.attr(name).toTensor().allclose(
          norm.attr(name).toTensor(), 1e-4, 1e-5))
          << number << " " << name;
    }
  }

  // Weights may also have observers that do not round.
  OutputOf(observed, x);
  EXPECT_EQ(TypeAtPath(observed, "conv1"),
            absl::StrCat(kQat, "conv_fused.ConvBnReLU2d"));
  EXPECT_EQ(TypeAtPath(observed, "conv2"),
            absl::StrCat(kQat, "conv_fused.ConvBn2d"));
  for (const char* path : {"bn1", "relu1", "bn2"}) {
    EXPECT_EQ(TypeAtPath(observed, path), kIdentity);
  }
}

// Runs `model` in training, so that its norms learn, and expects that it then
// gives in evaluation what it gives without the norms.
void ExpectNormsFold(Module model, const at::Tensor& x,
                     const std::vector<std::vector<std::string>>& chains) {
  model.train();
  OutputOf(model, at::randn_like(x));
  model.eval();
  const Module fused = OrThrow(FuseModules(model, chains));
  for (const std::vector<std::string>& chain : chains) {
    EXPECT_EQ(TypeAtPath(fused, chain[1]), kIdentity);
  }
  EXPECT_TRUE(OutputOf(fused, x).allclose(OutputOf(model, x), 1e-4, 1e-5));
}

TEST_P(ReferenceFuseNormsTest, OfLinearLayersFold) {
  ExpectNormsFold(
      MakeModel({{"fc", RandomLinear(20, 10)}, {"bn", BatchNorm("1d", 10)}},
                {"return self.bn.forward(self.fc.forward(x))"}),
      at::randn({8, 20}), {{"fc", "bn"}});
}

TEST_P(ReferenceFuseNormsTest, OfTransposedConvolutionsFold) {
  const auto conv = [](const std::string& dimensions,
                       const std::vector<int64_t>& weight) {
    return LayerOf(absl::StrCat("conv.ConvTranspose", dimensions),
                   absl::StrCat("conv_transpose", dimensions),
                   at::randn(weight), at::randn({weight[1]}));
  };
  ExpectNormsFold(
      MakeModel({{"conv1", conv("1d", {3, 4, 1})},
                 {"bn1", BatchNorm("1d", 4)},
                 {"conv2", conv("2d", {4, 3, 1, 2})},
                 {"bn2", BatchNorm("2d", 3)},
                 {"conv3", conv("3d", {3, 2, 1, 1, 1})},
                 {"bn3", BatchNorm("3d", 2)}},
                {"x = self.bn1.forward(self.conv1.forward(x)).unsqueeze(2)",
                 "x = self.bn2.forward(self.conv2.forward(x)).unsqueeze(2)",
                 "return self.bn3.forward(self.conv3.forward(x))"}),
      at::randn({8, 3, 16}),
      {{"conv1", "bn1"}, {"conv2", "bn2"}, {"conv3", "bn3"}});
}

NS_INSTANTIATE_ON_ENGINES(ReferenceFuseNormsTest);

}  // namespace
}  // namespace ns
