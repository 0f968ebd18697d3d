#include "ir/base/byte_stream.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

constexpr int64_t kIntegers[] = {0,
                                 1,
                                 -1,
                                 63,
                                 64,
                                 -65,
                                 1000000,
                                 std::numeric_limits<int64_t>::max(),
                                 std::numeric_limits<int64_t>::min()};

std::string Sample() {
  ByteWriter writer;
  for (const int64_t integer : kIntegers) {
    writer.Integer(integer);
  }
  writer.Double(-0.0);
  writer.Double(std::numeric_limits<double>::denorm_min());
  writer.Text("");
  writer.Text(absl::string_view("a\0b", 3));
  writer.Word(0x0123456789ABCDEF);
  return writer.Take();
}

TEST(ByteStreamTest, ReadsWhatWasWritten) {
  const std::string bytes = Sample();
  ByteReader reader(bytes);
  for (const int64_t integer : kIntegers) {
    EXPECT_EQ(reader.Integer(), integer);
  }
  EXPECT_TRUE(std::signbit(reader.Double()));
  EXPECT_EQ(reader.Double(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(reader.Text(), "");
  EXPECT_EQ(reader.Text(), std::string("a\0b", 3));
  EXPECT_EQ(reader.Word(), 0x0123456789ABCDEF);
  EXPECT_TRUE(reader.AtEnd());
  reader.Integer();
  EXPECT_FALSE(reader.ok());
}

TEST(ByteStreamTest, SmallIntegersTakeOneByte) {
  ByteWriter writer;
  writer.Integer(63);
  writer.Integer(-64);
  EXPECT_EQ(writer.bytes().size(), 2);
}

TEST(ByteStreamTest, FailsWhereBytesEnd) {
  const std::string bytes = Sample();
  for (size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader(absl::string_view(bytes).substr(0, size));
    for (int i = 0; i < 9; ++i) {
      reader.Integer();
    }
    reader.Double();
    reader.Double();
    reader.Text();
    reader.Text();
    EXPECT_EQ(reader.Word(), 0);
    EXPECT_FALSE(reader.ok()) << size;
  }
}

TEST(ByteStreamTest, CountsNoMoreThanBytesThatFollow) {
  for (const int64_t count : {-1, 3, 1 << 30}) {
    ByteWriter writer;
    writer.Integer(count);
    writer.Word(0);
    writer.Word(0);
    ByteReader reader(writer.bytes());
    EXPECT_EQ(reader.Count(/*least_bytes=*/8), 0);
    EXPECT_FALSE(reader.ok()) << count;
  }
}

TEST(ByteStreamTest, IntegersEndAfter64Bits) {
  const std::string bytes(11, '\xFF');
  ByteReader reader(bytes);
  EXPECT_EQ(reader.Integer(), 0);
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace ns
