#include "tools/flags/byte_size.h"

#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(ParseByteSizeTest, ReadsNumbersWithAndWithoutUnits) {
  EXPECT_EQ(OrThrow(ParseByteSize("0")), 0);
  EXPECT_EQ(OrThrow(ParseByteSize("512")), 512);
  EXPECT_EQ(OrThrow(ParseByteSize("512B")), 512);
  EXPECT_EQ(OrThrow(ParseByteSize("64K")), 64 << 10);
  EXPECT_EQ(OrThrow(ParseByteSize("200M")), 200 << 20);
  EXPECT_EQ(OrThrow(ParseByteSize("2G")), int64_t{2} << 30);
  EXPECT_EQ(OrThrow(ParseByteSize("1.5GiB")), int64_t{3} << 29);
  EXPECT_EQ(OrThrow(ParseByteSize("1T")), int64_t{1} << 40);
  EXPECT_EQ(OrThrow(ParseByteSize("3mib")), 3 << 20);
}

TEST(ParseByteSizeTest, UnitsOfAThousandEndInB) {
  EXPECT_EQ(OrThrow(ParseByteSize("1KB")), 1000);
  EXPECT_EQ(OrThrow(ParseByteSize("1.5GB")), 1500000000);
}

TEST(ParseByteSizeTest, DropsFractionsOfAByte) {
  EXPECT_EQ(OrThrow(ParseByteSize("0.3K")), 307);
  EXPECT_EQ(OrThrow(ParseByteSize("1.9")), 1);
}

TEST(ParseByteSizeTest, SaysWhatIsExpected) {
  for (const char* text :
       {"", "K", "B", ".", "1.2.3", "-1", "+1", "1e3", "0x10", "1X", "1 K",
        "1KK", "1Ki", "1iB", "inf", "nan", "64K ", "1P"}) {
    EXPECT_THAT(MessageOf(ParseByteSize(text)),
                StartsWith("'" + std::string(text) +
                           "' is no size; give a number of bytes"));
  }
}

TEST(ParseByteSizeTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(OrThrow(ParseByteSize("8388607T")), int64_t{8388607} << 40);
  EXPECT_THAT(MessageOf(ParseByteSize("8388608T")), HasSubstr("is too large"));
  EXPECT_THAT(MessageOf(ParseByteSize(std::string(400, '9'))),
              HasSubstr("is too large"));
}

}  // namespace
}  // namespace ns
