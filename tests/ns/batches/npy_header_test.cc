#include "ns/batches/npy_header.h"

#include <random>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/batches/npy_text.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

NpyHeader Parse(const std::string& dict, int version = 1) {
  return OrThrow(ParseNpyHeader(NpyHeaderText(dict, version) + "elements"));
}

std::string ErrorOf(const std::string& bytes) {
  return MessageOf(ParseNpyHeader(bytes));
}

TEST(ParseNpyHeaderTest, ReadsWhatIsInFrontOfTheElements) {
  for (const int version : {1, 2, 3}) {
    const NpyHeader header = Parse(NpyDict("<f8", "(2, 3)", true), version);
    EXPECT_EQ(header.dtype, c10::kDouble);
    EXPECT_EQ(header.element_bytes, 8);
    EXPECT_FALSE(header.widen);
    EXPECT_EQ(header.descr, "<f8");
    EXPECT_TRUE(header.fortran_order);
    EXPECT_THAT(header.shape, ElementsAre(2, 3));
    EXPECT_EQ(header.data_offset % 64, 0);
    EXPECT_EQ(header.data_offset,
              NpyHeaderText(NpyDict("<f8", "(2, 3)", true), version).size());
    EXPECT_EQ(header.DataBytes(), 48);
  }
}

TEST(ParseNpyHeaderTest, ReadsShapesOfAnyRank) {
  EXPECT_THAT(Parse(NpyDict("<f4", "()")).shape, IsEmpty());
  EXPECT_EQ(Parse(NpyDict("<f4", "()")).DataBytes(), 4);
  EXPECT_THAT(Parse(NpyDict("<f4", "(7,)")).shape, ElementsAre(7));
  EXPECT_EQ(Parse(NpyDict("<f4", "(0, 3)")).DataBytes(), 0);
}

TEST(ParseNpyHeaderTest, UnsignedNumbersThatLibTorchLacksAreWidened) {
  for (const char* descr : {"<u2", "<u4"}) {
    EXPECT_TRUE(Parse(NpyDict(descr, "(1,)")).widen) << descr;
  }
  for (const char* descr : {"|u1", "|b1", "<i2", "<i4", "<i8", "<f2"}) {
    EXPECT_FALSE(Parse(NpyDict(descr, "(1,)")).widen) << descr;
  }
}

TEST(ParseNpyHeaderTest, RefusesOtherFilesAndVersions) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("no .npy file"));
  EXPECT_THAT(ErrorOf("PK\x03\x04"), HasSubstr("no .npy file"));
  EXPECT_THAT(ErrorOf(NpyHeaderText(NpyDict("<f4", "(2, 3)"), 4)),
              HasSubstr("version 4.0"));
}

TEST(ParseNpyHeaderTest, EveryPartOfAHeaderIsCutOff) {
  const std::string whole = NpyHeaderText(NpyDict("<f4", "(2, 3)"));
  for (size_t size = 6; size < whole.size(); ++size) {
    EXPECT_EQ(ErrorOf(whole.substr(0, size)), "is cut off in its header")
        << size;
  }
  EXPECT_TRUE(ParseNpyHeader(whole).ok());
}

TEST(ParseNpyHeaderTest, RefusesHostileHeaders) {
  const auto error = [](const std::string& dict) {
    return ErrorOf(NpyHeaderText(dict));
  };
  EXPECT_THAT(error(NpyDict("|O", "(2, 3)")), HasSubstr("Python objects"));
  EXPECT_THAT(error(NpyDict(">f4", "(2, 3)")), HasSubstr("astype('<f4')"));
  EXPECT_THAT(error(NpyDict("<c8", "(3,)")), HasSubstr("type '<c8'"));
  EXPECT_THAT(error("{'descr': [('a', '<f4')], 'fortran_order': False, "
                    "'shape': (6,), }"),
              HasSubstr("records"));
  EXPECT_THAT(error(NpyDict("<f4", "(-2, -3)")), HasSubstr("the size '-2'"));
  EXPECT_THAT(error(NpyDict("<f4", "(99999999999999999999,)")),
              HasSubstr("the size '99999999999999999999'"));
  EXPECT_THAT(error(NpyDict("<f4", "(4294967296, 4294967296, 2)")),
              HasSubstr("larger than any memory"));
  EXPECT_THAT(error(NpyDict("<f4", "(6)")), HasSubstr("no tuple"));
  EXPECT_THAT(error("{'descr': '<f4', 'shape': (6,), }"),
              HasSubstr("without descr"));
  EXPECT_THAT(error("{'descr': '<f4', 'descr': '<f4', 'shape': (6,), }"),
              HasSubstr("second key 'descr'"));
  EXPECT_THAT(error(NpyDict("<f4", "(6,)") + "__import__"),
              HasSubstr("more than a dict"));
  EXPECT_THAT(error("[]"), HasSubstr("no dict"));
  std::string ones = "(";
  for (int i = 0; i < 65; ++i) {
    ones += "1, ";
  }
  EXPECT_THAT(error(NpyDict("<f4", ones + ")")), HasSubstr("65 dimensions"));
  std::string huge = NpyHeaderText(NpyDict("<f4", "(6,)"), /*version=*/2);
  huge[11] = '\x7f';
  EXPECT_THAT(ErrorOf(huge), HasSubstr("a .npy header of 2130706"));
}

// Any bytes give a header or one line.
TEST(ParseNpyHeaderTest, DamagedHeadersGiveOneLine) {
  std::mt19937 random(1);  // NOLINT: the same files in each run
  const std::string good = NpyHeaderText(NpyDict("<f4", "(2, 3)"));
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = good.substr(0, 8 + random() % (good.size() - 7));
    for (int change = 0; change < 3; ++change) {
      bytes[8 + random() % (bytes.size() - 7) - 1] =
          static_cast<char>(random());
    }
    const auto header = ParseNpyHeader(bytes);
    if (header.ok()) {
      EXPECT_GE(header->DataBytes(), 0);
    } else {
      ++refused;
      EXPECT_THAT(MessageOf(header), Not(HasSubstr("\n")));
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace ns
