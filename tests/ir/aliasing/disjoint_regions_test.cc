#include "ir/aliasing/disjoint_regions.h"

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(DisjointRegionsTest, NewRegionsAreApart) {
  DisjointRegions regions;
  const int a = regions.Add();
  const int b = regions.Add();
  EXPECT_NE(a, b);
  EXPECT_EQ(regions.Find(a), a);
  EXPECT_EQ(regions.Find(b), b);
}

TEST(DisjointRegionsTest, JoinedRegionsHaveOneNumber) {
  DisjointRegions regions;
  const int a = regions.Add();
  const int b = regions.Add();
  const int c = regions.Add();
  regions.Join(a, b);
  EXPECT_EQ(regions.Find(a), regions.Find(b));
  EXPECT_NE(regions.Find(a), regions.Find(c));
}

TEST(DisjointRegionsTest, JoiningIsTransitive) {
  DisjointRegions regions;
  const int a = regions.Add();
  const int b = regions.Add();
  const int c = regions.Add();
  const int d = regions.Add();
  regions.Join(a, b);
  regions.Join(c, d);
  EXPECT_NE(regions.Find(b), regions.Find(d));
  regions.Join(b, c);
  EXPECT_EQ(regions.Find(a), regions.Find(d));
}

TEST(DisjointRegionsTest, JoiningARegionWithItselfChangesNothing) {
  DisjointRegions regions;
  const int a = regions.Add();
  const int content = regions.ContentOf(a);
  regions.Join(a, a);
  EXPECT_EQ(regions.Find(a), a);
  EXPECT_EQ(regions.ContentOf(a), content);
  EXPECT_NE(content, a);
}

TEST(DisjointRegionsTest, AContentIsARegionOfItsOwnAndStaysTheSame) {
  DisjointRegions regions;
  const int a = regions.Add();
  const int b = regions.Add();
  const int content = regions.ContentOf(a);
  EXPECT_NE(content, a);
  EXPECT_NE(content, regions.ContentOf(b));
  EXPECT_EQ(content, regions.ContentOf(a));
}

TEST(DisjointRegionsTest, ContentsOfJoinedRegionsAreJoined) {
  DisjointRegions regions;
  const int a = regions.Add();
  const int b = regions.Add();
  const int of_a = regions.ContentOf(a);
  const int of_b = regions.ContentOf(b);
  regions.Join(a, b);
  EXPECT_EQ(regions.Find(of_a), regions.Find(of_b));
  EXPECT_EQ(regions.ContentOf(a), regions.Find(of_a));
  EXPECT_EQ(regions.ContentOf(b), regions.Find(of_a));
  // The container is not what it holds.
  EXPECT_NE(regions.Find(a), regions.Find(of_a));
}

TEST(DisjointRegionsTest, ContentsOfContentsAreJoined) {
  DisjointRegions regions;
  const int a = regions.Add();
  const int b = regions.Add();
  const int deep_a = regions.ContentOf(regions.ContentOf(a));
  const int deep_b = regions.ContentOf(regions.ContentOf(b));
  regions.Join(a, b);
  EXPECT_EQ(regions.Find(deep_a), regions.Find(deep_b));
}

TEST(DisjointRegionsTest, TheOnlyContentIsThatOfBoth) {
  DisjointRegions regions;
  const int a = regions.Add();
  const int b = regions.Add();
  const int of_b = regions.ContentOf(b);
  regions.Join(a, b);
  EXPECT_EQ(regions.ContentOf(a), regions.Find(of_b));
  const int c = regions.Add();
  regions.Join(b, c);
  EXPECT_EQ(regions.ContentOf(c), regions.Find(of_b));
}

TEST(DisjointRegionsTest, JoinedRegionsGetOneContentLater) {
  DisjointRegions regions;
  const int a = regions.Add();
  const int b = regions.Add();
  regions.Join(a, b);
  EXPECT_EQ(regions.ContentOf(a), regions.ContentOf(b));
}

// A list that is appended to itself.
TEST(DisjointRegionsTest, AContainerMayHoldItself) {
  DisjointRegions regions;
  const int a = regions.Add();
  regions.Join(a, regions.ContentOf(a));
  EXPECT_EQ(regions.ContentOf(a), regions.Find(a));
  const int b = regions.Add();
  const int deep_b = regions.ContentOf(regions.ContentOf(b));
  regions.Join(a, b);
  EXPECT_EQ(regions.Find(deep_b), regions.Find(a));
}

}  // namespace
}  // namespace ns
