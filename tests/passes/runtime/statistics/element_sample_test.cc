#include "passes/runtime/statistics/element_sample.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

std::vector<int64_t> SampleOf(int64_t count) {
  const ElementSample sample(count);
  std::vector<int64_t> elements;
  for (int64_t window = 0; sample.ElementOf(window) < count; ++window) {
    elements.push_back(sample.ElementOf(window));
  }
  return elements;
}

TEST(ElementSampleTest, SmallTensorsAreTakenWhole) {
  for (const int64_t count : {0, 1, 128, 255}) {
    const std::vector<int64_t> elements = SampleOf(count);
    ASSERT_EQ(elements.size(), count);
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(elements[i], i);
    }
  }
}

TEST(ElementSampleTest, EachWindowHasOne) {
  for (const int64_t count : {512, 1000, 65536, 1 << 20}) {
    const int64_t stride = ElementSample(count).stride();
    const std::vector<int64_t> elements = SampleOf(count);
    EXPECT_GE(elements.size(), ElementSample::kLeast - 1);
    for (size_t i = 0; i < elements.size(); ++i) {
      EXPECT_EQ(elements[i] / stride, i);
    }
  }
}

// Of rows of any length, each column is met about as often.
TEST(ElementSampleTest, NoColumnIsPreferred) {
  for (const int64_t columns : {7, 32, 56, 64, 112, 256}) {
    std::vector<int64_t> met(columns);
    const std::vector<int64_t> elements = SampleOf(1 << 24);
    for (const int64_t element : elements) {
      ++met[element % columns];
    }
    const auto expected =
        static_cast<double>(elements.size()) / static_cast<double>(columns);
    EXPECT_GT(*std::min_element(met.begin(), met.end()), 0.4 * expected);
    EXPECT_LT(*std::max_element(met.begin(), met.end()), 1.8 * expected);
  }
}

}  // namespace
}  // namespace ns
