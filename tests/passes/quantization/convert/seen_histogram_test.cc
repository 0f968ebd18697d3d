#include "passes/quantization/convert/seen_histogram.h"

#include <ATen/Functions.h>

#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;

// Of values from -1 to 3, two of which are zero.
SeenHistogram SeenBy(ObserverKind kind) {
  const ObserverPtr observer = OrThrow(MakeObserver(DefaultConfig(kind)));
  observer->Forward(at::tensor({-1.0F, 0.0F, 0.0F, 0.5F, 3.0F}));
  return SeenHistogramOf(*observer);
}

double Total(const SeenHistogram& seen) {
  return std::accumulate(seen.counts.begin(), seen.counts.end(), 0.0);
}

// How many values are in the bin of `value`.
double CountAt(const SeenHistogram& seen, double value) {
  return seen.counts.at(static_cast<size_t>((value - seen.least) / seen.width));
}

TEST(SeenHistogramTest, ExactOnesTellZeros) {
  const SeenHistogram seen = SeenBy(ObserverKind::kMse);
  EXPECT_EQ(Total(seen), 5);
  EXPECT_EQ(seen.zeros, 2);
  EXPECT_EQ(CountAt(seen, -1), 1);
  EXPECT_EQ(CountAt(seen, 0), 2);
  EXPECT_EQ(CountAt(seen, 0.5), 1);
  EXPECT_EQ(CountAt(seen, 3), 1);
}

TEST(SeenHistogramTest, ThoseOfPyTorchDoNot) {
  const SeenHistogram seen = SeenBy(ObserverKind::kHistogram);
  EXPECT_EQ(Total(seen), 5);
  EXPECT_EQ(seen.zeros, 0);
  EXPECT_EQ(seen.least, -1);
  EXPECT_EQ(CountAt(seen, -1), 1);
}

TEST(SeenHistogramTest, RangesAreNone) {
  EXPECT_THAT(SeenBy(ObserverKind::kMinMax).counts, IsEmpty());
}

}  // namespace
}  // namespace ns
