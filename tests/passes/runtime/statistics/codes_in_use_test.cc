#include "passes/runtime/statistics/codes_in_use.h"

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(CodesInUseTest, StartsEmpty) {
  const CodesInUse use;
  EXPECT_EQ(use.total, 0);
  EXPECT_EQ(use.Unused(), 256);
  EXPECT_FALSE(use.IsUsed(0));
}

TEST(CodesInUseTest, HasABitForEachCode) {
  for (int code = 0; code < 256; ++code) {
    SCOPED_TRACE(code);
    const auto byte = static_cast<uint8_t>(code);
    CodesInUse use;
    use.Add(&byte, 1, /*flip_sign=*/false);
    EXPECT_EQ(use.total, 1);
    EXPECT_EQ(use.at_lowest, code == 0 ? 1 : 0);
    EXPECT_EQ(use.at_highest, code == 255 ? 1 : 0);
    EXPECT_EQ(use.Unused(), 255);
    EXPECT_TRUE(use.IsUsed(byte));
  }
}

TEST(CodesInUseTest, CodesWithASignStartAtTheLowest) {
  const uint8_t bytes[] = {0x80, 0x80, 0xFF, 0x00, 0x7F};
  CodesInUse use;
  use.Add(bytes, 5, /*flip_sign=*/true);
  EXPECT_EQ(use.at_lowest, 2);
  EXPECT_EQ(use.at_highest, 1);
  EXPECT_EQ(use.Unused(), 252);
  EXPECT_TRUE(use.IsUsed(127));
  EXPECT_TRUE(use.IsUsed(128));
}

TEST(CodesInUseTest, MarksWithoutCounting) {
  uint8_t codes[64] = {0, 200, 7, 255};
  codes[63] = 100;
  CodesInUse use;
  use.MarkUsed(codes, 0x800000000000000B);
  EXPECT_EQ(use.total, 0);
  EXPECT_EQ(use.at_lowest, 0);
  EXPECT_EQ(use.Unused(), 252);
  EXPECT_FALSE(use.IsUsed(7));
}

TEST(CodesInUseTest, PartsMergeToTheWhole) {
  std::mt19937 random(3);
  for (int repetition = 0; repetition < 100; ++repetition) {
    std::normal_distribution<double> code(128, 1 + repetition);
    std::vector<uint8_t> codes(random() % 500);
    std::set<uint8_t> distinct;
    for (uint8_t& byte : codes) {
      byte = static_cast<uint8_t>(static_cast<int64_t>(code(random)) & 0xFF);
      distinct.insert(byte);
    }
    const auto size = static_cast<int64_t>(codes.size());
    const int64_t split = static_cast<int64_t>(random()) % (size + 1);
    CodesInUse whole;
    CodesInUse first;
    CodesInUse rest;
    whole.Add(codes.data(), size, false);
    first.Add(codes.data(), split, false);
    rest.Add(codes.data() + split, size - split, false);
    first.Merge(rest);
    EXPECT_EQ(first, whole);
    EXPECT_EQ(whole.total, size);
    EXPECT_EQ(whole.Unused(), 256 - static_cast<int64_t>(distinct.size()));
    for (int byte = 0; byte < 256; ++byte) {
      EXPECT_EQ(whole.IsUsed(static_cast<uint8_t>(byte)),
                distinct.count(static_cast<uint8_t>(byte)) == 1);
    }
  }
}

}  // namespace
}  // namespace ns
