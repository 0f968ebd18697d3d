#include "ir/files/archive_records.h"

#include <caffe2/serialize/inline_container.h>

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/input_file.h"
#include "tests/testing/mutate_archive.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

// Larger than a block of decompression.
const std::string kContent(700'000, 'x');

// An archive with a stored and a compressed record of the same content.
std::string Archive() {
  const std::string path = TemporaryPath("archive.pt");
  caffe2::serialize::PyTorchStreamWriter writer(path);
  writer.writeRecord("stored", kContent.data(), kContent.size());
  writer.writeRecord("compressed", kContent.data(), kContent.size(),
                     /*compress=*/true);
  writer.writeEndOfFile();
  return ReadFile(path);
}

std::shared_ptr<InputFile> Open(const std::string& bytes) {
  const std::string path = TemporaryPath("opened.pt");
  WriteFile(path, bytes);
  return OrThrow(InputFile::Open(path));
}

absl::StatusOr<std::string> Read(const std::string& bytes,
                                 const std::string& name) {
  const auto file = Open(bytes);
  const auto records = FindArchiveRecords(*file);
  if (!records.ok()) {
    return records.status();
  }
  return ReadArchiveRecord(*file, records->at(name));
}

RecordPlace Place(const std::string& bytes, const std::string& name) {
  for (const RecordPlace& record : FindRecordPlaces(bytes)) {
    if (record.name == name) {
      return record;
    }
  }
  return {};
}

TEST(ArchiveRecordsTest, ReadsRecords) {
  for (const char* name : {"stored", "compressed"}) {
    EXPECT_EQ(OrThrow(Read(Archive(), name)), kContent) << name;
  }
}

TEST(ArchiveRecordsTest, ComparesChecksums) {
  for (const char* name : {"stored", "compressed"}) {
    std::string bytes = Archive();
    const RecordPlace place = Place(bytes, name);
    char& middle = bytes[place.offset + place.size / 2];
    middle = static_cast<char>(middle ^ 1);
    EXPECT_THAT(MessageOf(Read(bytes, name)), HasSubstr("damaged")) << name;
  }
}

TEST(ArchiveRecordsTest, ChecksStoredRecordsInBlocks) {
  std::string bytes = Archive();
  const RecordPlace place = Place(bytes, "stored");
  const auto check = [&] {
    const auto file = Open(bytes);
    return CheckArchiveRecord(*file,
                              OrThrow(FindArchiveRecords(*file)).at("stored"));
  };
  NS_EXPECT_OK(check());
  for (const size_t position : {size_t{0}, place.size / 2, place.size - 1}) {
    char& byte = bytes[place.offset + position];
    byte = static_cast<char>(byte ^ 1);
    EXPECT_THAT(check().message(), HasSubstr("damaged")) << position;
    byte = static_cast<char>(byte ^ 1);
  }
}

TEST(ArchiveRecordsTest, RefusesDecompressedSizesThatAreNotThose) {
  for (const char* size : {"\x01\x01\x01\x01", "\xf0\xf0\xf0\xf0"}) {
    std::string bytes = Archive();
    bytes.replace(Place(bytes, "compressed").entry + 24, 4, size);
    EXPECT_THAT(MessageOf(Read(bytes, "compressed")), HasSubstr("damaged"));
  }
}

TEST(ArchiveRecordsTest, RefusesTwoRecordsOfAName) {
  const std::string path = TemporaryPath("twice.pt");
  {
    caffe2::serialize::PyTorchStreamWriter writer(path);
    writer.writeRecord("one", "1", 1);
    writer.writeRecord("two", "2", 1);
    writer.writeEndOfFile();
  }
  std::string bytes = ReadFile(path);
  EXPECT_TRUE(Read(bytes, "one").ok());
  const RecordPlace two = Place(bytes, "two");
  bytes.replace(bytes.find("two", two.entry), 3, "one");
  EXPECT_THAT(MessageOf(Read(bytes, "one")), HasSubstr("damaged"));
}

TEST(ArchiveRecordsTest, ExtendsChecksums) {
  // The check value of CRC-32 in catalogues.
  EXPECT_EQ(ExtendCrc32(0, "123456789", 9), 0xcbf43926);
  EXPECT_EQ(ExtendCrc32(ExtendCrc32(0, "1234", 4), "56789", 5), 0xcbf43926);
}

}  // namespace
}  // namespace ns
