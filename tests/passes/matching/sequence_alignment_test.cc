#include "passes/matching/sequence_alignment.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using Pairs = std::vector<std::pair<int, int>>;

Pairs Align(const std::vector<int>& a, const std::vector<int>& b) {
  return AlignSequences(static_cast<int>(a.size()), static_cast<int>(b.size()),
                        [&](int i, int j) { return a[i] == b[j]; });
}

// Length of a longest common subsequence, by definition.
int LongestCommon(const std::vector<int>& a, const std::vector<int>& b,
                  size_t i = 0, size_t j = 0) {
  if (i == a.size() || j == b.size()) {
    return 0;
  }
  if (a[i] == b[j]) {
    return 1 + LongestCommon(a, b, i + 1, j + 1);
  }
  return std::max(LongestCommon(a, b, i + 1, j), LongestCommon(a, b, i, j + 1));
}

void ExpectRisingAndRelated(const Pairs& pairs, const std::vector<int>& a,
                            const std::vector<int>& b) {
  std::pair<int, int> previous = {-1, -1};
  for (const auto& [i, j] : pairs) {
    EXPECT_GT(i, previous.first);
    EXPECT_GT(j, previous.second);
    EXPECT_EQ(a[i], b[j]);
    previous = {i, j};
  }
}

std::vector<int> Random(std::mt19937& random, int size, int letters) {
  std::vector<int> values(size);
  for (int& value : values) {
    value = std::uniform_int_distribution<int>(0, letters - 1)(random);
  }
  return values;
}

TEST(AlignSequencesTest, PairsNothingWithNothing) {
  EXPECT_THAT(Align({}, {}), IsEmpty());
  EXPECT_THAT(Align({1}, {}), IsEmpty());
  EXPECT_THAT(Align({}, {1}), IsEmpty());
}

TEST(AlignSequencesTest, SkipsWhatOneSideHasInExcess) {
  EXPECT_THAT(Align({1, 2, 3}, {1, 9, 2, 9, 3}),
              ElementsAre(Pair(0, 0), Pair(1, 2), Pair(2, 4)));
}

TEST(AlignSequencesTest, KeepsOrder) {
  EXPECT_THAT(Align({1, 2}, {2, 1}), SizeIs(1));
}

TEST(AlignSequencesTest, FindsAsManyPairsAsBruteForce) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 400; ++trial) {
    const auto a = Random(random, trial % 9, 1 + trial % 4);
    const auto b = Random(random, (trial / 9) % 9, 1 + trial % 4);
    const Pairs pairs = Align(a, b);
    ExpectRisingAndRelated(pairs, a, b);
    EXPECT_EQ(pairs.size(), LongestCommon(a, b)) << "trial " << trial;
  }
}

TEST(AlignSequencesTest, PairsAllOfLongEqualSequences) {
  std::vector<int> a(5000);
  for (int i = 0; i < 5000; ++i) {
    a[i] = i % 7;
  }
  EXPECT_THAT(Align(a, a), SizeIs(5000));
}

TEST(AlignSequencesTest, PairsAllOfLongSequenceFromWhichElementsAreGone) {
  std::mt19937 random(2);
  const std::vector<int> a = Random(random, 4000, 50);
  std::vector<int> b;
  for (int value : a) {
    if (random() % 10 != 0) {
      b.push_back(value);
    }
  }
  const Pairs pairs = Align(a, b);
  ExpectRisingAndRelated(pairs, a, b);
  EXPECT_THAT(pairs, SizeIs(b.size()));
}

TEST(AlignSequencesTest, PairsAllWhenOneSequenceIsMuchLonger) {
  // One element in five of a, over several windows.
  std::vector<int> a;
  std::vector<int> b;
  for (int i = 0; i < 3000; ++i) {
    a.push_back(i % 5 == 0 ? i / 5 % 11 : -1);
    if (i % 5 == 0) {
      b.push_back(i / 5 % 11);
    }
  }
  const Pairs pairs = Align(a, b);
  ExpectRisingAndRelated(pairs, a, b);
  EXPECT_THAT(pairs, SizeIs(b.size()));
}

TEST(AlignSequencesTest, FindsWhatIsBehindALongBlockOfExcess) {
  const auto pairs_behind = [](int size_a, int size_b, int offset) {
    const size_t pairs = AlignSequences(size_a, size_b, [&](int i, int j) {
                           return j == i + offset;
                         }).size();
    const size_t turned = AlignSequences(size_b, size_a, [&](int j, int i) {
                            return j == i + offset;
                          }).size();
    EXPECT_EQ(pairs, turned);
    return pairs;
  };
  EXPECT_EQ(pairs_behind(100, 613, 513), 100);
  EXPECT_EQ(pairs_behind(10, 1000, 700), 10);
  EXPECT_EQ(pairs_behind(1000, 1600, 600), 1000);
  EXPECT_EQ(pairs_behind(1000, 9000, 8000), 1000);
}

TEST(AlignSequencesTest, AShortSequenceGetsAsManyPairsAsPossible) {
  // The first of the long one is related to the last of the short one.
  std::vector<int> a;
  std::vector<int> b(2000, 99);
  for (int i = 0; i < 100; ++i) {
    a.push_back(i);
    b.push_back(i);
  }
  EXPECT_THAT(Align(a, b), SizeIs(100));
  EXPECT_THAT(Align(b, a), SizeIs(100));
}

TEST(AlignSequencesTest, CompletesWhenNothingIsRelated) {
  EXPECT_THAT(AlignSequences(3000, 2000, [](int, int) { return false; }),
              IsEmpty());
}

TEST(AlignSequencesTest, WorkIsLinearInLength) {
  const auto work = [](int size) {
    int64_t calls = 0;
    AlignSequences(size, size, [&](int i, int j) {
      ++calls;
      return i == j;
    });
    return calls;
  };
  EXPECT_LT(work(16000), 5 * work(4000));
}

TEST(AlignSequencesTest, WorkIsLinearWithoutPairs) {
  const auto work = [](int size_a, int size_b) {
    int64_t calls = 0;
    AlignSequences(size_a, size_b, [&](int, int) {
      ++calls;
      return false;
    });
    return calls;
  };
  EXPECT_LT(work(16000, 8000), 5 * work(4000, 2000));
  EXPECT_LT(work(100, 16000), 5 * work(100, 4000));
}

TEST(LongestRisingSubsequenceTest, IsEmptyOfNothing) {
  EXPECT_THAT(LongestRisingSubsequence({}), IsEmpty());
}

TEST(LongestRisingSubsequenceTest, ReturnsIndices) {
  EXPECT_THAT(LongestRisingSubsequence({30, 10, 20}), ElementsAre(1, 2));
}

TEST(LongestRisingSubsequenceTest, RisesStrictly) {
  EXPECT_THAT(LongestRisingSubsequence({5, 5, 5}), SizeIs(1));
}

TEST(LongestRisingSubsequenceTest, IsAsLongAsBruteForce) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const auto values = Random(random, trial % 12, 10);
    std::vector<int> longest(values.size(), 1);
    int expected = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (values[j] < values[i]) {
          longest[i] = std::max(longest[i], longest[j] + 1);
        }
      }
      expected = std::max(expected, longest[i]);
    }
    const std::vector<int> found = LongestRisingSubsequence(values);
    EXPECT_EQ(found.size(), expected);
    for (size_t i = 1; i < found.size(); ++i) {
      EXPECT_LT(found[i - 1], found[i]);
      EXPECT_LT(values[found[i - 1]], values[found[i]]);
    }
  }
}

}  // namespace
}  // namespace ns
