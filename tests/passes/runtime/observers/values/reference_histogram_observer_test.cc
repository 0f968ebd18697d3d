// PyTorch's cases of the observer with a histogram, see tests/README.md.
#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"
#include "tests/passes/runtime/observers/reference_observers.h"

namespace ns {
namespace {

// Whether the counts of the histogram are `expected`.
bool HasCounts(const Observer& observer, const std::vector<float>& expected) {
  return observer.State().at("histogram").equal(TensorOf(expected));
}

class ReferenceHistogramObserverTest : public ::testing::TestWithParam<bool> {
 protected:
  // A config that is compatible if the test is.
  static ObserverConfig Config(int64_t bins) {
    ObserverConfig config = DefaultConfig(ObserverKind::kHistogram);
    config.bins = bins;
    config.compat = GetParam();
    return config;
  }
};

TEST_P(ReferenceHistogramObserverTest, CountsWhatIsInEachBin) {
  for (const ObserverConfig& config :
       Variants(Config(3), {at::kQInt8, at::kQUInt8},
                {at::kPerTensorAffine, at::kPerTensorSymmetric})) {
    const ObserverPtr observer = *MakeObserver(config);
    EXPECT_EQ(observer->CalculateQParams().scale.item<float>(), 1);
    const at::Tensor x = TensorOf({2, 3, 4, 5}).set_requires_grad(true);
    EXPECT_TRUE(observer->Forward(x).requires_grad());
    observer->Forward(TensorOf({5, 6, 7, 8}));
    EXPECT_EQ(Bound(*observer, "min_val"), 2);
    EXPECT_EQ(Bound(*observer, "max_val"), 8);
    EXPECT_TRUE(HasCounts(*observer, {2, 3, 3}));
    // The search finds the range 2..6, of the first two bins.
    ExpectQParams(*observer, 6);
    ExpectStateLoads(*observer);
  }
}

TEST_P(ReferenceHistogramObserverTest, ValuesOfOneSignStartAtZero) {
  ObserverConfig config = Config(8);
  config.reduce_range = true;
  const ObserverPtr observer = *MakeObserver(config);
  observer->Forward(TensorOf({0, 0.3, 1.2, 1.7}));
  observer->Forward(TensorOf({0.1, 1.3, 2, 2.7}));
  EXPECT_EQ(Bound(*observer, "min_val"), 0);
  EXPECT_EQ(observer->CalculateQParams().zero_point.item<int64_t>(), 0);
}

// PyTorch forgets batches of one value; ours remembers them.
TEST_P(ReferenceHistogramObserverTest, BatchesOfOneValueAreForgottenInCompat) {
  ObserverConfig config = Config(3);
  config.dtype = at::kQInt8;
  config.qscheme = at::kPerTensorSymmetric;
  const ObserverPtr observer = *MakeObserver(config);
  for (const at::Tensor& x : {at::ones({4}), at::zeros({4}), at::zeros({4}),
                              TensorOf({2, 3, 4, 5}), TensorOf({5, 6, 7, 8})}) {
    observer->Forward(x);
  }
  // Bins of the old grid are whole numbers of bins of the new one.
  EXPECT_NEAR(Bound(*observer, "max_val"), 8, 0.01);
  if (GetParam()) {
    EXPECT_EQ(Bound(*observer, "min_val"), 2);
    EXPECT_TRUE(HasCounts(*observer, {2, 3, 3}));
  } else {
    EXPECT_EQ(Bound(*observer, "min_val"), 0);
    EXPECT_EQ(observer->State()["histogram"].sum().item<float>(), 20);
  }
  EXPECT_GT(observer->CalculateQParams().scale.item<float>(), 0);
}

TEST_P(ReferenceHistogramObserverTest, BoundsAreScalarsBeforeAndAfter) {
  const ObserverPtr observer = *MakeObserver(Config(2048));
  const auto shapes = [&] {
    const ObserverState state = observer->State();
    return std::vector<std::vector<int64_t>>{state.at("min_val").sizes().vec(),
                                             state.at("max_val").sizes().vec()};
  };
  const auto before = shapes();
  EXPECT_EQ(before[0], std::vector<int64_t>());
  for (int i = 0; i < 2; ++i) {
    observer->Forward(at::randn({4, 4, 4, 4}));
    EXPECT_EQ(shapes(), before);
  }
  ExpectStateLoads(*observer);
}

// PyTorch 1.13 overflows when it sees them again.
TEST_P(ReferenceHistogramObserverTest, TheSmallestFloatsHaveAScale) {
  const ObserverPtr observer = *MakeObserver(Config(2048));
  const at::Tensor x = TensorOf({0, 0, 4.58e-41F, 4.58e-41F});
  observer->Forward(x);
  if (GetParam()) {
    EXPECT_THROW(observer->Forward(x), c10::Error);
  } else {
    observer->Forward(x);
    EXPECT_EQ(observer->State()["histogram"].sum().item<float>(), 8);
  }
  EXPECT_GT(observer->CalculateQParams().scale.item<float>(), 0);
}

INSTANTIATE_TEST_SUITE_P(, ReferenceHistogramObserverTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Compat" : "Ours";
                         });

// PyTorch 1.13 loses those beyond the bounds rounded towards zero.
TEST(ReferenceHistogramCountTest, EveryValueIsCounted) {
  for (int64_t i = 1; i < 10; ++i) {
    const ObserverPtr observer =
        *MakeObserver(DefaultConfig(ObserverKind::kHistogram));
    observer->Forward(at::randn({i, i}));
    EXPECT_EQ(observer->State()["histogram"].sum().item<int64_t>(), i * i);
  }
}

}  // namespace
}  // namespace ns
