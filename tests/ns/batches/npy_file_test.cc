#include "ns/batches/npy_file.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/npy_header.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A header as NumPy writes it: `dict` is padded with spaces to a multiple of 64
// bytes.
std::string Header(std::string dict, int version = 1) {
  const size_t width = version == 1 ? 2 : 4;
  while ((8 + width + dict.size() + 1) % 64 != 0) {
    dict.push_back(' ');
  }
  dict.push_back('\n');
  std::string header("\x93NUMPY");
  header.push_back(static_cast<char>(version));
  header.push_back('\0');
  for (size_t i = 0; i < width; ++i) {
    header.push_back(static_cast<char>(dict.size() >> (8 * i) & 0xff));
  }
  return header + dict;
}

std::string Dict(absl::string_view descr, absl::string_view shape,
                 bool fortran_order = false) {
  return absl::StrCat("{'descr': '", descr,
                      "', 'fortran_order': ", fortran_order ? "True" : "False",
                      ", 'shape': ", shape, ", }");
}

template <typename T>
std::string Bytes(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string WriteArray(const std::string& content) {
  const std::string path = TemporaryPath("array.npy");
  WriteFile(path, content);
  return path;
}

NpyFile Open(const std::string& content) {
  return OrThrow(NpyFile::Open(WriteArray(content)));
}

std::string ErrorOf(const std::string& content) {
  return MessageOf(NpyFile::Open(WriteArray(content)));
}

const std::vector<float> kSix = {1, 2, 3, 4, 5, 6};

TEST(NpyFileTest, ReadsEveryVersionOfTheFormat) {
  for (const int version : {1, 2, 3}) {
    const NpyFile file =
        Open(Header(Dict("<f4", "(2, 3)"), version) + Bytes(kSix));
    EXPECT_THAT(file.shape(), ElementsAre(2, 3));
    EXPECT_TRUE(
        OrThrow(file.Read()).equal(at::arange(1, 7, at::kFloat).view({2, 3})));
  }
}

TEST(NpyFileTest, ReadsRowsInBothOrders) {
  const at::Tensor values = at::arange(1, 7, at::kFloat);
  const NpyFile rows = Open(Header(Dict("<f4", "(3, 2)")) + Bytes(kSix));
  EXPECT_TRUE(
      OrThrow(rows.ReadRows(1, 2)).equal(values.view({3, 2}).narrow(0, 1, 2)));
  const NpyFile columns =
      Open(Header(Dict("<f4", "(3, 2)", /*fortran_order=*/true)) + Bytes(kSix));
  EXPECT_TRUE(OrThrow(columns.Read()).equal(values.view({2, 3}).t()));
  EXPECT_TRUE(OrThrow(columns.ReadRows(1, 1))
                  .equal(values.view({2, 3}).t().narrow(0, 1, 1)));
}

TEST(NpyFileTest, ReadsEveryTypeOfNumber) {
  const auto expect = [](const std::string& descr, const std::string& bytes,
                         const at::Tensor& expected) {
    const at::Tensor values =
        OrThrow(Open(Header(Dict(descr, "(2,)")) + bytes).Read());
    EXPECT_EQ(values.scalar_type(), expected.scalar_type()) << descr;
    EXPECT_TRUE(values.equal(expected)) << descr;
  };
  expect("|b1", Bytes<uint8_t>({1, 0}), at::tensor({1, 0}, at::kByte));
  expect("|i1", Bytes<int8_t>({-1, 3}), at::tensor({-1, 3}, at::kChar));
  expect("|u1", Bytes<uint8_t>({255, 3}), at::tensor({255, 3}, at::kByte));
  expect("<i2", Bytes<int16_t>({-2, 3}), at::tensor({-2, 3}, at::kShort));
  expect("<u2", Bytes<uint16_t>({65535, 3}), at::tensor({65535, 3}, at::kInt));
  expect("<i4", Bytes<int32_t>({-2, 3}), at::tensor({-2, 3}, at::kInt));
  expect("<u4", Bytes<uint32_t>({4294967295U, 3}),
         at::tensor({int64_t{4294967295}, int64_t{3}}, at::kLong));
  expect("<i8", Bytes<int64_t>({-2, 3}), at::tensor({-2, 3}, at::kLong));
  expect("<f2", Bytes<uint16_t>({0x3c00, 0xc000}),
         at::tensor({1., -2.}).to(at::kHalf));
  expect("<f8", Bytes<double>({0.5, -2}), at::tensor({0.5, -2.}, at::kDouble));
}

TEST(NpyFileTest, ReadsASingleNumberAndNoElements) {
  EXPECT_THAT(Open(Header(Dict("<f4", "()")) + Bytes<float>({3})).shape(),
              IsEmpty());
  EXPECT_THAT(OrThrow(Open(Header(Dict("<f4", "(0, 3)"))).Read()).sizes(),
              ElementsAre(0, 3));
}

TEST(NpyFileTest, FileThatChangesIsRefused) {
  const std::string content = Header(Dict("<f4", "(2, 3)")) + Bytes(kSix);
  const NpyFile file = Open(content);
  WriteArray(content + "more");
  EXPECT_THAT(MessageOf(file.Read()), HasSubstr("has changed"));
}

TEST(NpyFileTest, BadFilesAreRefused) {
  const std::string six = Bytes(kSix);
  EXPECT_EQ(MessageOf(NpyFile::Open("/nowhere/a.npy")),
            "cannot open: No such file or directory");
  EXPECT_THAT(ErrorOf("PK\x03\x04"), HasSubstr("no .npy file"));
  EXPECT_THAT(ErrorOf("\x93NUMPY\x01"), HasSubstr("cut off"));
  EXPECT_THAT(ErrorOf(Header(Dict("<f4", "(2, 3)")).substr(0, 40)),
              HasSubstr("cut off in its header"));
  EXPECT_THAT(ErrorOf(Header(Dict("<f4", "(2, 3)"), /*version=*/4) + six),
              HasSubstr("version 4.0"));
  EXPECT_THAT(ErrorOf(Header(Dict("<f4", "(2, 3)")) + six.substr(1)),
              HasSubstr("is cut off: 23 bytes of elements are there, and "
                        "[2, 3] of '<f4' take 24"));
  EXPECT_THAT(ErrorOf(Header(Dict("<f4", "(2, 3)")) + six + "x"),
              HasSubstr("is damaged: 25 bytes"));
}

TEST(NpyFileTest, HostileHeadersAreRefused) {
  const auto error = [](const std::string& dict) {
    return ErrorOf(Header(dict) + Bytes(kSix));
  };
  EXPECT_THAT(error(Dict("|O", "(2, 3)")), HasSubstr("Python objects"));
  EXPECT_THAT(error(Dict(">f4", "(2, 3)")), HasSubstr("astype('<f4')"));
  EXPECT_THAT(error(Dict("<c8", "(3,)")), HasSubstr("type '<c8'"));
  EXPECT_THAT(error("{'descr': [('a', '<f4')], 'fortran_order': False, "
                    "'shape': (6,), }"),
              HasSubstr("records"));
  EXPECT_THAT(error(Dict("<f4", "(-2, -3)")), HasSubstr("the size '-2'"));
  EXPECT_THAT(error(Dict("<f4", "(99999999999999999999,)")),
              HasSubstr("the size '99999999999999999999'"));
  EXPECT_THAT(error(Dict("<f4", "(4294967296, 4294967296, 2)")),
              HasSubstr("larger than any memory"));
  EXPECT_THAT(error(Dict("<f4", "(6)")), HasSubstr("no tuple"));
  EXPECT_THAT(error("{'descr': '<f4', 'shape': (6,), }"),
              HasSubstr("without descr"));
  EXPECT_THAT(error("{'descr': '<f4', 'descr': '<f4', 'shape': (6,), }"),
              HasSubstr("second key 'descr'"));
  EXPECT_THAT(error(Dict("<f4", "(6,)") + "__import__"),
              HasSubstr("more than a dict"));
  std::string ones = "(";
  for (int i = 0; i < 65; ++i) {
    ones += "1, ";
  }
  EXPECT_THAT(error(Dict("<f4", ones + ")")), HasSubstr("65 dimensions"));
  std::string huge = Header(Dict("<f4", "(6,)"), /*version=*/2);
  huge[11] = '\x7f';
  EXPECT_THAT(ErrorOf(huge), HasSubstr("a .npy header of 2130706"));
}

// Any bytes give a header or one line.
TEST(NpyFileTest, DamagedHeadersGiveOneLine) {
  std::mt19937 random(1);  // NOLINT: the same files in each run
  const std::string good = Header(Dict("<f4", "(2, 3)"));
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
