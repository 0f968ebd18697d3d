#include "ir/files/zip_directory.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using testing::HasSubstr;

// A little-endian number.
template <typename T>
std::string Bytes(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(T));
}

std::string Zeros(size_t count) { return std::string(count, '\0'); }

// The header before the content of a record, with 3 bytes of extra fields.
std::string Header(const std::string& name) {
  return absl::StrCat("PK\x03\x04", Zeros(22), Bytes<uint16_t>(name.size()),
                      Bytes<uint16_t>(3), name, "xyz");
}

// An entry of the directory.
std::string Entry(const std::string& name, uint32_t size, uint32_t header,
                  const std::string& extra = "", uint16_t method = 0) {
  return absl::StrCat("PK\x01\x02", Zeros(6), Bytes(method), Zeros(8),
                      Bytes(size), Bytes(size), Bytes<uint16_t>(name.size()),
                      Bytes<uint16_t>(extra.size()), Zeros(10), Bytes(header),
                      name, extra);
}

// The end of an archive whose directory of `bytes` bytes starts at `offset`.
std::string End(uint32_t bytes, uint32_t offset,
                const std::string& comment = "") {
  return absl::StrCat("PK\x05\x06", Zeros(8), Bytes(bytes), Bytes(offset),
                      Bytes<uint16_t>(comment.size()), comment);
}

// The end of a zip64 archive, which itself starts at `start`.
std::string End64(uint64_t bytes, uint64_t offset, uint64_t start) {
  return absl::StrCat("PK\x06\x06", Zeros(36), Bytes(bytes), Bytes(offset),
                      "PK\x06\x07", Zeros(4), Bytes(start), Zeros(4),
                      End(0xffffffff, 0xffffffff));
}

std::shared_ptr<InputFile> Open(const std::string& content) {
  const std::string path = TemporaryPath("archive.zip");
  WriteFile(path, content);
  return OrThrow(InputFile::Open(path));
}

// A directory with one entry, behind one record of 5 bytes.
std::string Archive(const std::string& entry) {
  const std::string record = Header("a/b") + "12345";
  return absl::StrCat(record, entry, End(entry.size(), record.size()));
}

TEST(ZipDirectoryTest, FindsRecords) {
  const std::string first = Header("a/b") + "12345";
  const std::string second = Header("a/c") + "678";
  const std::string entries =
      Entry("a/b", 5, 0) + Entry("a/c", 3, first.size());
  const auto file =
      Open(absl::StrCat(first, second, entries,
                        End(entries.size(), first.size() + second.size())));
  const std::vector<ZipEntry> directory = OrThrow(ReadZipDirectory(*file));
  ASSERT_EQ(directory.size(), 2);
  EXPECT_EQ(directory[0].name, "a/b");
  const ZipEntry& entry = directory[1];
  EXPECT_EQ(entry.name, "a/c");
  EXPECT_EQ(entry.size, 3);
  EXPECT_FALSE(entry.compressed);
  const int64_t offset = OrThrow(DataOffset(*file, entry));
  std::string content(3, ' ');
  EXPECT_EQ(file->ReadAt(offset, content.data(), 3), 3);
  EXPECT_EQ(content, "678");
}

TEST(ZipDirectoryTest, ReadsAnArchiveWithAComment) {
  const std::string entry = Entry("a/b", 0, 0);
  const auto file =
      Open(absl::StrCat(entry, End(entry.size(), 0, std::string(300, 'c'))));
  EXPECT_EQ(OrThrow(ReadZipDirectory(*file)).size(), 1);
}

TEST(ZipDirectoryTest, ReadsZip64) {
  const std::string record = Header("a/b") + "12345";
  // Where the header is stays in the fixed part: it fits there.
  const std::string extra = absl::StrCat(
      Bytes<uint16_t>(7), Bytes<uint16_t>(1), "?", Bytes<uint16_t>(1),
      Bytes<uint16_t>(16), Bytes<uint64_t>(5), Bytes<uint64_t>(5));
  const std::string entry = Entry("a/b", 0xffffffff, 0, extra);
  const auto file = Open(absl::StrCat(
      record, entry,
      End64(entry.size(), record.size(), record.size() + entry.size())));
  const std::vector<ZipEntry> directory = OrThrow(ReadZipDirectory(*file));
  EXPECT_EQ(directory.at(0).size, 5);
  EXPECT_EQ(OrThrow(DataOffset(*file, directory.at(0))),
            static_cast<int64_t>(record.size()) - 5);
}

TEST(ZipDirectoryTest, TellsCompressedRecords) {
  const auto file = Open(Archive(Entry("a/b", 5, 0, "", 8)));
  EXPECT_TRUE(OrThrow(ReadZipDirectory(*file)).at(0).compressed);
}

void ExpectDamaged(const std::string& content) {
  EXPECT_THAT(MessageOf(ReadZipDirectory(*Open(content))),
              HasSubstr("is truncated or damaged"));
}

TEST(ZipDirectoryTest, RefusesDamagedDirectories) {
  const std::string entry = Entry("a/b", 5, 0);
  ExpectDamaged("no archive");
  ExpectDamaged(entry);
  // The end says that there are more bytes, or that they are elsewhere.
  ExpectDamaged(entry + End(entry.size() + 100, 0));
  ExpectDamaged(entry + End(entry.size(), 1));
  ExpectDamaged(entry + End(entry.size() - 1, 0));
  ExpectDamaged(entry + End(0xfffffff0, 0xfffffff0));
  ExpectDamaged(entry + End64(entry.size(), 0, ~uint64_t{0}));
  ExpectDamaged(entry + End64(~uint64_t{0}, 8, entry.size()));
  // LibTorch would take what is in memory for their contents.
  std::string folder = entry;
  folder[38] = 0x10;
  ExpectDamaged(folder + End(folder.size(), 0));
  std::string nothing = Entry("a/b", 5, 0, "", 8);
  nothing[20] = 0;
  ExpectDamaged(nothing + End(nothing.size(), 0));
  // A size that should be in an extra field.
  const std::string lost = Entry("a/b", 0xffffffff, 0);
  ExpectDamaged(lost + End(lost.size(), 0));
}

TEST(ZipDirectoryTest, RefusesRecordsOutsideTheFile) {
  const auto offset_of = [](const std::string& entry) {
    const auto file = Open(Archive(entry));
    return DataOffset(*file, OrThrow(ReadZipDirectory(*file)).at(0));
  };
  EXPECT_TRUE(offset_of(Entry("a/b", 5, 0)).ok());
  for (const std::string& entry :
       {Entry("a/b", 5000, 0), Entry("a/b", 5, 1), Entry("a/b", 5, 5000),
        Entry("a/b", 0xfffffffe, 0)}) {
    EXPECT_THAT(MessageOf(offset_of(entry)),
                HasSubstr("is truncated or damaged"));
  }
}

}  // namespace
}  // namespace ns
