#include "ir/base/nearest_name.h"

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(NearestNameTest, IsTheOneWithTheFewestChanges) {
  EXPECT_EQ(NearestName("lower-to-fbgem", {"lower-tuples", "lower-to-fbgemm"}),
            "lower-to-fbgemm");
}

TEST(NearestNameTest, IsEmptyWhenNoneIsSimilar) {
  EXPECT_EQ(NearestName("xyz", {"lower-tuples", "match"}), "");
  EXPECT_EQ(NearestName("xyz", {}), "");
}

TEST(DidYouMeanTest, AsksOrSaysSomethingElse) {
  EXPECT_EQ(DidYouMean("mtach", {"match"}, "see --help"),
            "did you mean 'match'?");
  EXPECT_EQ(DidYouMean("xyz", {"match"}, "see --help"), "see --help");
}

}  // namespace
}  // namespace ns
