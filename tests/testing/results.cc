#include "tests/testing/results.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ns/suite/comparisons.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

void ExpectComparable(const std::vector<SingleResult>& a,
                      const std::vector<SingleResult>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].info.layer, b[i].info.layer);
    EXPECT_EQ(a[i].info.type, b[i].info.type);
    EXPECT_EQ(a[i].parameter, b[i].parameter);
    ASSERT_EQ(a[i].values.size(), b[i].values.size());
    EXPECT_FALSE(a[i].values.empty());
    for (size_t j = 0; j < a[i].values.size(); ++j) {
      EXPECT_EQ(a[i].values[j].sizes(), b[i].values[j].sizes());
    }
  }
}

}  // namespace

void ExpectComparable(const Results& results) {
  for (const auto& [layer, types] : results.layers()) {
    for (const auto& [type, models] : types) {
      SCOPED_TRACE(layer + " " + type);
      ASSERT_EQ(models.size(), 2);
      ExpectComparable(models.at("a"), models.at("b"));
    }
  }
}

std::vector<std::string> LayersWith(const Results& results, const char* type) {
  std::vector<std::string> layers;
  for (const auto& [layer, types] : results.layers()) {
    if (types.count(type) != 0) {
      layers.push_back(layer);
    }
  }
  return layers;
}

double LowestSqnr(const Results& results, const char* type) {
  Results compared = results;
  NS_EXPECT_OK(ExtendLoggerResultsWithComparison(compared, "a", "b",
                                                 ComputeSqnr, "sqnr"));
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto& [layer, types] : compared.layers()) {
    const auto models = types.find(type);
    if (models == types.end()) {
      continue;
    }
    for (const SingleResult& record : models->second.at("b")) {
      for (const double sqnr : record.comparisons.at("sqnr")) {
        lowest = std::isnan(sqnr) || sqnr < lowest ? sqnr : lowest;
      }
    }
  }
  return lowest;
}

}  // namespace ns
