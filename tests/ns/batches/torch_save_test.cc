#include "ns/batches/torch_save.h"

#include <ATen/Functions.h>
#include <caffe2/serialize/inline_container.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/archive_records.h"
#include "ir/files/input_file.h"
#include "ns/batches/write_torch_save.h"
#include "tests/testing/mutate_archive.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

using Kind = PickleValue::Kind;

absl::StatusOr<TorchSave> TryOpen(const std::string& path) {
  return TorchSave::Open(path, OrThrow(InputFile::Open(path)));
}

// A dict of "x", a matrix; "row", its second row; "q", quantized; and "n".
std::string SavedDict() {
  std::string path = TemporaryPath("saved.pt");
  const at::Tensor x = at::arange(12, at::kFloat).reshape({3, 4});
  c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
  dict.insert("x", x.t());
  dict.insert("row", x[1]);
  dict.insert("q", at::quantize_per_tensor(x, 0.5, 3, at::kQUInt8));
  dict.insert("n", int64_t{5});
  OrThrow(WriteTorchSave(path, dict));
  return path;
}

// An archive with these records.
std::string ArchiveOf(
    const std::vector<std::pair<std::string, std::string>>& records) {
  std::string path = TemporaryPath("archive.pt");
  caffe2::serialize::PyTorchStreamWriter writer(path);
  for (const auto& [name, content] : records) {
    writer.writeRecord(name, content.data(), content.size());
  }
  writer.writeEndOfFile();
  return path;
}

// The value of "key" in the dict that is the root.
const PickleValue& Member(const TorchSave& save, const std::string& key) {
  const auto& items = save.root().items;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i]->text == key) {
      return *items[i + 1];
    }
  }
  throw std::out_of_range(key);
}

TEST(TorchSaveTest, ReadsWhatWasSaved) {
  const TorchSave save = OrThrow(TryOpen(SavedDict()));
  EXPECT_EQ(save.root().kind, Kind::kDict);
  const auto dict = OrThrow(save.Read(save.root())).toGenericDict();
  const at::Tensor expected = at::arange(12, at::kFloat).reshape({3, 4});
  ASSERT_THAT(dict, SizeIs(4));
  const at::Tensor x = dict.at("x").toTensor();
  EXPECT_TRUE(x.equal(expected.t()));
  EXPECT_EQ(x.strides(), at::IntArrayRef({1, 4}));
  EXPECT_TRUE(dict.at("row").toTensor().equal(expected[1]));
  EXPECT_TRUE(dict.at("row").toTensor().is_alias_of(x));
  EXPECT_TRUE(dict.at("q").toTensor().equal(
      at::quantize_per_tensor(expected, 0.5, 3, at::kQUInt8)));
  EXPECT_EQ(dict.at("n").toInt(), 5);
}

TEST(TorchSaveTest, OutlinesHaveSizesAndNoBytes) {
  const TorchSave save = OrThrow(TryOpen(SavedDict()));
  const auto dict = OrThrow(save.Outline(save.root())).toGenericDict();
  for (const char* key : {"x", "row", "q"}) {
    EXPECT_TRUE(dict.at(key).toTensor().is_meta()) << key;
  }
  EXPECT_EQ(dict.at("x").toTensor().sizes(), at::IntArrayRef({4, 3}));
  EXPECT_EQ(dict.at("x").toTensor().strides(), at::IntArrayRef({1, 4}));
  EXPECT_EQ(dict.at("n").toInt(), 5);
}

TEST(TorchSaveTest, APartIsReadWithoutTheOthers) {
  const TorchSave save = OrThrow(TryOpen(SavedDict()));
  const at::Tensor row = OrThrow(save.Read(Member(save, "row"))).toTensor();
  EXPECT_TRUE(row.equal(at::arange(4, 8, at::kFloat)));
  // From the start of the storage, as 64 bytes are read at a time.
  EXPECT_EQ(row.storage().nbytes(), 8 * sizeof(float));
}

TEST(TorchSaveTest, NoticesAFileThatChanged) {
  const std::string path = SavedDict();
  const TorchSave save = OrThrow(TryOpen(path));
  WriteFile(path, ReadFile(path) + "x");
  EXPECT_THAT(MessageOf(save.Read(save.root())),
              HasSubstr("has changed since it was opened"));
  NS_EXPECT_OK(save.Outline(save.root()).status());
  std::filesystem::remove(path);
  EXPECT_THAT(MessageOf(save.Read(save.root())), HasSubstr("cannot open"));
}

RecordPlace PlaceOf(const std::string& bytes, absl::string_view name) {
  for (const RecordPlace& record : FindRecordPlaces(bytes)) {
    if (record.name == name) {
      return record;
    }
  }
  throw std::out_of_range(std::string(name));
}

void FlipBit(std::string& bytes, size_t position) {
  bytes[position] = static_cast<char>(bytes[position] ^ 1);
}

TEST(TorchSaveTest, RefusesTensorsThatAreNotWhatWasWritten) {
  const std::string path = SavedDict();
  std::string bytes = ReadFile(path);
  const RecordPlace x = PlaceOf(bytes, "data/0");
  FlipBit(bytes, x.offset + x.size - 1);
  WriteFile(path, bytes);
  const TorchSave save = OrThrow(TryOpen(path));
  // The damaged byte is in "x" and not in "row", which shares its storage.
  for (const char* key : {"x", "row", "x"}) {
    EXPECT_THAT(MessageOf(save.Read(Member(save, key))),
                HasSubstr("is damaged, in its record data/0"))
        << key;
  }
  // What is elsewhere can be read.
  NS_EXPECT_OK(save.Read(Member(save, "q")).status());
  NS_EXPECT_OK(save.Read(Member(save, "n")).status());
}

TEST(TorchSaveTest, APartIsComparedWithTheChecksumOfTheWhole) {
  const TorchSave save = OrThrow(TryOpen(SavedDict()));
  for (int i = 0; i < 2; ++i) {
    NS_EXPECT_OK(save.Read(Member(save, "row")).status());
    NS_EXPECT_OK(save.Read(save.root()).status());
  }
}

TEST(TorchSaveTest, RefusesAPickleThatIsNotWhatWasWritten) {
  const std::string path = SavedDict();
  const std::string good = ReadFile(path);
  const RecordPlace pickle = PlaceOf(good, "data.pkl");
  for (size_t i = 0; i < pickle.size; ++i) {
    std::string bytes = good;
    FlipBit(bytes, pickle.offset + i);
    WriteFile(path, bytes);
    EXPECT_THAT(MessageOf(TryOpen(path)),
                HasSubstr("is damaged, in its record data.pkl"));
  }
}

TEST(TorchSaveTest, RefusesFilesThatAreCutOff) {
  const std::string whole = ReadFile(SavedDict());
  const std::string path = TemporaryPath("cut.pt");
  for (const size_t size :
       {size_t{1}, size_t{30}, whole.size() / 2, whole.size() - 1}) {
    WriteFile(path, whole.substr(0, size));
    const auto save = TryOpen(path);
    EXPECT_FALSE(save.ok()) << size;
    EXPECT_THAT(MessageOf(save), Not(HasSubstr("\n")));
  }
}

TEST(TorchSaveTest, RefusesTensorsBeyondTheirRecords) {
  const std::string path = SavedDict();
  std::string bytes = ReadFile(path);
  const std::vector<RecordPlace> records = FindRecordPlaces(bytes);
  int shortened = 0;
  for (const RecordPlace& record : records) {
    if (record.size == 12 * sizeof(float)) {
      SetRecordSize(bytes, record, 11 * sizeof(float));
      ++shortened;
    }
  }
  ASSERT_EQ(shortened, 1);
  WriteFile(path, bytes);
  const TorchSave save = OrThrow(TryOpen(path));
  for (const auto& value :
       {save.Outline(save.root()), save.Read(save.root())}) {
    EXPECT_THAT(MessageOf(value), HasSubstr("reaches beyond its storage"));
  }
  // What is inside can be read.
  NS_EXPECT_OK(save.Read(Member(save, "row")).status());
}

TEST(TorchSaveTest, RefusesArchivesOfOtherContents) {
  const std::string none = "\x80\x02N.";
  EXPECT_TRUE(OrThrow(TryOpen(ArchiveOf({{"data.pkl", none}}))).root().kind ==
              Kind::kNone);
  EXPECT_THAT(
      MessageOf(TryOpen(ArchiveOf({{"data.pkl", none}, {"byteorder", "big"}}))),
      HasSubstr("was saved on a big-endian machine"));
  NS_EXPECT_OK(TryOpen(ArchiveOf({{"data.pkl", none}, {"byteorder", "little"}}))
                   .status());
  EXPECT_THAT(MessageOf(TryOpen(ArchiveOf({{"data.pkl", "\x80\x02N"}}))),
              HasSubstr("the pickle "));
  EXPECT_THAT(MessageOf(TryOpen(ArchiveOf({{"other", none}}))),
              HasSubstr("the pickle "));
}

TEST(TorchSaveTest, ATensorWithoutItsRecordIsNamed) {
  const std::string path = SavedDict();
  const auto file = OrThrow(InputFile::Open(path));
  const std::string pickle = [&] {
    const auto records = OrThrow(FindArchiveRecords(*file));
    return OrThrow(ReadArchiveRecord(*file, records.at("data.pkl")));
  }();
  const TorchSave save = OrThrow(TryOpen(ArchiveOf({{"data.pkl", pickle}})));
  EXPECT_THAT(MessageOf(save.Outline(save.root())),
              HasSubstr("without the record data/0; save it again"));
}

}  // namespace
}  // namespace ns
