#include "passes/quantization/observe/reconfigure_prepared.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/convert/convert_observers.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/runtime/observers/observer_options.h"
#include "tests/passes/quantization/convert/calibrated.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

class ReconfigurePreparedTest : public ::testing::Test {
 protected:
  const std::vector<at::Tensor> batches_ = {at::randn({2, 3, 9, 9}),
                                            at::randn({2, 3, 9, 9})};
  const std::vector<std::string> net_ = {
      "return torch.conv2d(x, self.w2, self.b)"};
};

TEST_F(ReconfigurePreparedTest, ConvertsAsIfItHadBeenPreparedSo) {
  const ModelGraph prepared = Calibrated(net_, batches_);
  QConfig other = Int8PerTensorQConfig();
  other.activation.config.reduce_range = true;
  other.weight.config.quant_min = -64;
  other.weight.config.quant_max = 63;
  Reconfiguration changes;
  changes.observers[0] = changes.observers[1] = other.activation.config;
  changes.layers[0] = {"mine", "module name 'conv'", other.weight.config};
  ModelGraph changed = OrThrow(ReconfigurePrepared(prepared, changes));
  ModelGraph expected = OrThrow(Calibrated(net_, batches_, other).Clone());
  const QuantizationReport report = OrThrow(ConvertObservers(changed));
  OrThrow(ConvertObservers(expected));
  EXPECT_EQ(report.layers[0].qconfig, "mine");
  EXPECT_EQ(report.layers[0].rule, "module name 'conv'");
  const auto run = [&](ModelGraph& model) {
    return OrThrow(model.Run({batches_[0]})).toTensor();
  };
  EXPECT_TRUE(run(changed).equal(run(expected)));
  // The one that was given is as it was.
  ModelGraph original = OrThrow(prepared.Clone());
  OrThrow(ConvertObservers(original));
  EXPECT_FALSE(run(original).equal(run(expected)));
}

TEST_F(ReconfigurePreparedTest, ChangesOfNothingAreErrors) {
  const ModelGraph prepared = Calibrated(net_, batches_);
  const ObserverConfig config = DefaultConfig(ObserverKind::kMinMax);
  const auto error = [&](const Reconfiguration& changes) {
    return std::string(
        ReconfigurePrepared(prepared, changes).status().message());
  };
  EXPECT_THAT(error({{{17, config}}, {}}), HasSubstr("ns_observer_17"));
  EXPECT_THAT(error({{}, {{5, {"", "", config}}}}), HasSubstr("no layer 5"));
  EXPECT_THAT(error({{{0, DefaultConfig(ObserverKind::kMse)}}, {}}),
              HasSubstr("calibrate again"));
  EXPECT_FALSE(ReconfigurePrepared(FloatModel(net_), {}).ok());
}

TEST_F(ReconfigurePreparedTest, FakeQuantizersAreRefused) {
  QConfig trained = Int8PerTensorQConfig();
  trained.activation.use = ObserverUse::kFakeQuantize;
  const ModelGraph prepared = Calibrated(net_, batches_, trained);
  Reconfiguration changes;
  changes.observers[0] = trained.activation.config;
  EXPECT_EQ(ReconfigurePrepared(prepared, changes).status().message(),
            "ns_observer_0 is trained with, and what it has learned belongs to "
            "its configuration; prepare the model anew");
}

}  // namespace
}  // namespace ns
