#include "ns/quantization/eager/qat_switches.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include "gtest/gtest.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/quantization/eager/prepare_and_convert.h"
#include "ns/quantization/eager/stubs.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/runtime/observers/fake_quantize.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Module;

class QatSwitchesTest : public ::testing::Test {
 protected:
  QatSwitchesTest() {
    Module model = MakeModel({{"quant", QuantStub()},
                              {"conv", Conv2d(at::randn({4, 3, 1, 1}))},
                              {"bn", BatchNorm2d(4)}},
                             {"y = self.conv.forward(self.quant.forward(x))",
                              "return self.bn.forward(y)"});
    model.train();
    FuseModulesOptions fuse;
    fuse.qat = true;
    model_ =
        OrThrow(PrepareQat(OrThrow(FuseModules(model, {{"conv", "bn"}}, fuse)),
                           {{"", DefaultQatQConfig()}}));
  }

  void Run() { OutputOf(model_, at::randn({2, 3, 5, 5})); }

  Module Conv() const { return model_.attr("conv").toModule(); }

  at::Tensor RunningMean() const {
    return Conv().attr("bn").toModule().attr("running_mean").toTensor().clone();
  }

  at::Tensor Scale() const {
    return Conv()
        .attr("activation_post_process")
        .toCustomClass<FakeQuantize>()
        ->scale();
  }

  Module model_;
};

TEST_F(QatSwitchesTest, FrozenNormsKeepTheirStatistics) {
  const at::Tensor start = RunningMean();
  FreezeBnStats(model_);
  // Switching the model to training does not thaw them.
  model_.train();
  Run();
  EXPECT_TRUE(RunningMean().equal(start));
  UpdateBnStats(model_);
  Run();
  EXPECT_FALSE(RunningMean().equal(start));
}

TEST_F(QatSwitchesTest, ObserversLearnWhileEnabled) {
  Run();
  const at::Tensor scale = Scale();
  DisableObserver(model_);
  Run();
  EXPECT_TRUE(Scale().equal(scale));
  EnableObserver(model_);
  Run();
  EXPECT_FALSE(Scale().equal(scale));
}

TEST_F(QatSwitchesTest, WithoutFakeQuantizationValuesAreThoseOfTheFloatModel) {
  model_.eval();
  DisableFakeQuant(model_);
  const at::Tensor x = at::randn({2, 3, 5, 5});
  const at::Tensor exact = OutputOf(model_, x);
  const Module norm = Conv().attr("bn").toModule();
  const at::Tensor expected = at::batch_norm(
      at::conv2d(x, Conv().attr("weight").toTensor()),
      norm.attr("weight").toTensor(), norm.attr("bias").toTensor(),
      norm.attr("running_mean").toTensor(), norm.attr("running_var").toTensor(),
      /*training=*/false, /*momentum=*/0, /*eps=*/1e-5, /*cudnn_enabled=*/true);
  EXPECT_TRUE(exact.allclose(expected, 1e-4, 1e-4));
  EnableFakeQuant(model_);
  EXPECT_FALSE(OutputOf(model_, x).allclose(expected, 1e-4, 1e-4));
}

}  // namespace
}  // namespace ns
