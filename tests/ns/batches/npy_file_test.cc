#include "ns/batches/npy_file.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/batches/npy_text.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
        Open(NpyHeaderText(NpyDict("<f4", "(2, 3)"), version) + Bytes(kSix));
    EXPECT_THAT(file.shape(), ElementsAre(2, 3));
    EXPECT_TRUE(
        OrThrow(file.Read()).equal(at::arange(1, 7, at::kFloat).view({2, 3})));
  }
}

TEST(NpyFileTest, ReadsRowsInBothOrders) {
  const at::Tensor values = at::arange(1, 7, at::kFloat);
  const NpyFile rows =
      Open(NpyHeaderText(NpyDict("<f4", "(3, 2)")) + Bytes(kSix));
  EXPECT_TRUE(
      OrThrow(rows.ReadRows(1, 2)).equal(values.view({3, 2}).narrow(0, 1, 2)));
  const NpyFile columns =
      Open(NpyHeaderText(NpyDict("<f4", "(3, 2)", /*fortran_order=*/true)) +
           Bytes(kSix));
  EXPECT_TRUE(OrThrow(columns.Read()).equal(values.view({2, 3}).t()));
  EXPECT_TRUE(OrThrow(columns.ReadRows(1, 1))
                  .equal(values.view({2, 3}).t().narrow(0, 1, 1)));
}

TEST(NpyFileTest, ReadsEveryTypeOfNumber) {
  const auto expect = [](const std::string& descr, const std::string& bytes,
                         const at::Tensor& expected) {
    const at::Tensor values =
        OrThrow(Open(NpyHeaderText(NpyDict(descr, "(2,)")) + bytes).Read());
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
  EXPECT_THAT(
      Open(NpyHeaderText(NpyDict("<f4", "()")) + Bytes<float>({3})).shape(),
      IsEmpty());
  EXPECT_THAT(
      OrThrow(Open(NpyHeaderText(NpyDict("<f4", "(0, 3)"))).Read()).sizes(),
      ElementsAre(0, 3));
}

TEST(NpyFileTest, FileThatChangesIsRefused) {
  const std::string content =
      NpyHeaderText(NpyDict("<f4", "(2, 3)")) + Bytes(kSix);
  const NpyFile file = Open(content);
  WriteArray(content + "more");
  EXPECT_THAT(MessageOf(file.Read()), HasSubstr("has changed"));
}

TEST(NpyFileTest, BadFilesAreRefused) {
  const std::string six = Bytes(kSix);
  EXPECT_EQ(MessageOf(NpyFile::Open("/nowhere/a.npy")),
            "cannot open: No such file or directory");
  EXPECT_THAT(ErrorOf("PK\x03\x04"), HasSubstr("no .npy file"));
  EXPECT_THAT(ErrorOf(NpyHeaderText(NpyDict("<f4", "(2, 3)")) + six.substr(1)),
              HasSubstr("is cut off: 23 bytes of elements are there, and "
                        "[2, 3] of '<f4' take 24"));
  EXPECT_THAT(ErrorOf(NpyHeaderText(NpyDict("<f4", "(2, 3)")) + six + "x"),
              HasSubstr("is damaged: 25 bytes"));
}

}  // namespace
}  // namespace ns
