#include "passes/extraction/results.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> LayersOf(const Results& results) {
  std::vector<std::string> names;
  for (const auto& [name, by_type] : results.layers()) {
    names.push_back(name);
  }
  return names;
}

TEST(ResultsTest, StartsEmpty) {
  const Results results;
  EXPECT_THAT(results.layers(), IsEmpty());
  EXPECT_EQ(results.Find("fc"), nullptr);
}

TEST(ResultsTest, KeepsLayersInOrderOfFirstUse) {
  Results results;
  results["b"];
  results["a"];
  results["b"];
  EXPECT_THAT(LayersOf(results), ElementsAre("b", "a"));
}

TEST(ResultsTest, FindsWhatWasAdded) {
  Results results;
  results["fc"][kWeightResult]["float"].emplace_back();
  ASSERT_NE(results.Find("fc"), nullptr);
  EXPECT_EQ(results.Find("fc")->at(kWeightResult).at("float").size(), 1);
  EXPECT_EQ(results.Find("other"), nullptr);
}

TEST(ResultsTest, CopyIsIndependent) {
  Results results;
  results["fc"];
  Results copy = results;
  copy["fc"][kWeightResult];
  copy["other"];
  EXPECT_THAT(LayersOf(results), ElementsAre("fc"));
  EXPECT_THAT(results.Find("fc")->size(), 0);
}

}  // namespace
}  // namespace ns
