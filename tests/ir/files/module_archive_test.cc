#include "ir/files/module_archive.h"

#include <ATen/Functions.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/import.h>

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/input_file.h"
#include "tests/testing/modules.h"
#include "tests/testing/mutate_archive.h"
#include "tests/testing/saved_module.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Archive = std::shared_ptr<ModuleArchive>;

absl::StatusOr<Archive> TryOpen(const std::string& path) {
  return ModuleArchive::Open(OrThrow(InputFile::Open(path)));
}

Archive Open(const SavedModule& file) { return OrThrow(TryOpen(file.Write())); }

// A weight of 24 bytes.
SavedModule SavedLinear() {
  return SavedModule(MakeModel({{"fc", Linear(at::ones({3, 2}))}},
                               {"return self.fc.forward(x)"}));
}

TEST(ModuleArchiveTest, GivesTheRecordsThatWereSaved) {
  const SavedModule file = SavedLinear();
  const Archive archive = Open(file);
  EXPECT_TRUE(archive->Has("data.pkl"));
  EXPECT_FALSE(archive->Has("data"));
  EXPECT_EQ(archive->records().size(), file.records().size());
  const std::string weight = OrThrow(archive->Read(file.Tensor(24).name));
  EXPECT_EQ(weight, ReadFile(file.Write()).substr(file.Tensor(24).offset, 24));
  NS_EXPECT_OK(archive->CheckRest());
}

TEST(ModuleArchiveTest, LibTorchLoadsThroughIt) {
  const Archive archive = Open(SavedLinear());
  torch::jit::Module module = torch::jit::load(
      std::shared_ptr<caffe2::serialize::ReadAdapterInterface>(archive));
  EXPECT_TRUE(module.forward({at::ones({1, 2})})
                  .toTensor()
                  .equal(at::full({1, 3}, 2.)));
  NS_EXPECT_OK(archive->CheckRest());
}

// LibTorch itself compares no checksums.
TEST(ModuleArchiveTest, LibTorchGetsNothingOfADamagedRecord) {
  SavedModule file = SavedLinear();
  const RecordPlace weight = file.Tensor(24);
  file.Damage(weight);
  const Archive archive = Open(file);
  std::string buffer(weight.size, '\0');
  EXPECT_EQ(archive->read(weight.offset, buffer.data(), weight.size, ""), 0);
  EXPECT_ANY_THROW(torch::jit::load(
      std::shared_ptr<caffe2::serialize::ReadAdapterInterface>(archive)));
  EXPECT_EQ(archive->CheckRest(), DamagedRecord(weight.name));
  EXPECT_EQ(MessageOf(archive->Read(weight.name)),
            DamagedRecord(weight.name).message());
}

TEST(ModuleArchiveTest, NamesTheFirstOfSeveralDamagedRecords) {
  SavedModule file = SavedLinear();
  for (const char* name : {"version", "data.pkl", "constants.pkl"}) {
    file.Damage(file.Record(name));
  }
  EXPECT_THAT(std::string(Open(file)->CheckRest().message()),
              StartsWith("is damaged, in its record constants.pkl; copy it"));
}

// LibTorch reads these in pieces, so that they are checked when it opens them.
TEST(ModuleArchiveTest, ChecksCompressedRecordsAtOnce) {
  const std::string path = TemporaryPath("compressed.pt");
  {
    caffe2::serialize::PyTorchStreamWriter writer(path);
    const std::string text(1000, 'x');
    writer.writeRecord("code/model.py", text.data(), text.size(),
                       /*compress=*/true);
    writer.writeEndOfFile();
  }
  EXPECT_EQ(OrThrow(OrThrow(TryOpen(path))->Read("code/model.py")),
            std::string(1000, 'x'));
  std::string bytes = ReadFile(path);
  for (const RecordPlace& record : FindRecordPlaces(bytes)) {
    if (record.compressed) {
      bytes[record.offset + record.size / 2] ^= 0x55;
    }
  }
  WriteFile(path, bytes);
  EXPECT_THAT(MessageOf(TryOpen(path)),
              HasSubstr("is damaged, in its record code/model.py"));
}

TEST(ModuleArchiveTest, RefusesHugeRecords) {
  for (const size_t field : {20, 24}) {
    SavedModule file = SavedLinear();
    const size_t position = file.Tensor(24).entry + field;
    file.bytes().replace(position, 4, "\xf0\xf0\xf0\xf0");
    EXPECT_FALSE(TryOpen(file.Write()).ok()) << field;
  }
}

TEST(ModuleArchiveTest, RefusesWhatIsNoArchiveOrHalfOfOne) {
  const std::string path = TemporaryPath("other.pt");
  const std::string whole = SavedLinear().bytes();
  for (const std::string& content :
       {std::string("no archive"), whole.substr(0, whole.size() / 2),
        whole.substr(0, whole.size() - 1), whole.substr(whole.size() / 2)}) {
    WriteFile(path, content);
    const auto archive = TryOpen(path);
    EXPECT_THAT(MessageOf(archive), Not(HasSubstr("\n")));
    EXPECT_FALSE(archive.ok());
  }
}

}  // namespace
}  // namespace ns
