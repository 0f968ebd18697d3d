#include "passes/quantization/masked_values.h"

#include <ATen/Functions.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer_config.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Layers whose observers have seen some values.
class MaskedValuesTest : public ::testing::Test {
 protected:
  void See(int64_t number, const std::vector<float>& values,
           bool compat = false) {
    ObserverConfig config = DefaultConfig(ObserverKind::kMinMax);
    config.compat = compat;
    const ObserverPtr observer = OrThrow(MakeObserver(config));
    observer->Forward(at::tensor(values));
    observed_[number] = AskObserver(observer);
  }

  static PreparedLayer Layer(const std::string& op,
                             const std::vector<int64_t>& inputs,
                             int64_t output) {
    PreparedLayer layer;
    layer.op = op;
    layer.inputs = inputs;
    layer.output = output;
    return layer;
  }

  // Why `layer` stays in float; empty where it does not.
  std::string ReasonFor(const PreparedLayer& layer) const {
    const MaskedValues masked({softmax_}, [this](int64_t number) {
      const auto found = observed_.find(number);
      return found == observed_.end() ? nullptr : &found->second;
    });
    return std::string(masked.Check(layer).message());
  }

  const PreparedLayer softmax_ = Layer("aten::softmax", {2}, 3);
  const PreparedLayer add_ = Layer("aten::add", {0, 1}, 2);
  std::map<int64_t, CalibratedValue> observed_;
};

TEST_F(MaskedValuesTest, ScoresWithoutAMaskFit) {
  See(2, {-9, 0, 9});
  EXPECT_THAT(ReasonFor(softmax_), IsEmpty());
  EXPECT_THAT(ReasonFor(add_), IsEmpty());
}

TEST_F(MaskedValuesTest, LargeNumbersMakeStepsTooCoarse) {
  See(2, {-1e4, 0, 9});
  EXPECT_THAT(ReasonFor(softmax_), HasSubstr("steps of 39 are too coarse"));
  EXPECT_THAT(ReasonFor(add_), HasSubstr("steps of 39 are too coarse"));
}

TEST_F(MaskedValuesTest, InfiniteScoresHaveNoSteps) {
  See(0, {-9, 9});
  See(2, {-INFINITY, 0, 9});
  EXPECT_THAT(ReasonFor(softmax_), HasSubstr("some of which are infinite"));
  EXPECT_THAT(ReasonFor(add_), HasSubstr("some of which are infinite"));
  EXPECT_THAT(ReasonFor(Layer("aten::matmul", {0}, 0)), IsEmpty());
}

// A mask by itself may be added to scores that no softmax of the plan takes.
TEST_F(MaskedValuesTest, MasksStayFloatWhereThereIsNoWeight) {
  See(1, {-INFINITY, 0});
  EXPECT_THAT(ReasonFor(add_), HasSubstr("as those of masks"));
  PreparedLayer linear = Layer("aten::linear", {1}, 0);
  linear.weight = {{"dtype", "qint8"}};
  EXPECT_THAT(ReasonFor(linear), IsEmpty());
}

TEST_F(MaskedValuesTest, PyTorchTakesThemAll) {
  See(2, {-1e4, 0, 9}, /*compat=*/true);
  EXPECT_THAT(ReasonFor(softmax_), IsEmpty());
}

}  // namespace
}  // namespace ns
