#include "ns/batches/batch_file.h"

#include <ATen/Functions.h>
#include <caffe2/serialize/inline_container.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

using File = std::unique_ptr<const BatchFile>;

// A file that make_batches.py wrote.
std::string PathOf(absl::string_view name) {
  return absl::StrCat("tests/ns/batches/batch_files/", name, ".pt");
}

// One line that names the file, without a full stop.
void ExpectError(const std::string& path, const std::string& what) {
  const absl::StatusOr<File> file = OpenBatchFile(path);
  ASSERT_FALSE(file.ok()) << path;
  EXPECT_THAT(std::string(file.status().message()),
              AllOf(StartsWith(path + ": "), HasSubstr(what),
                    Not(HasSubstr("\n")), Not(EndsWith("."))));
}

TEST(MakeBatchFileTest, GivesTheBatchesOfItsCaller) {
  const at::Tensor x = at::ones({2});
  const File file = MakeBatchFile({{{x}, {}, "here"}, {}});
  ASSERT_EQ(file->size(), 2);
  EXPECT_TRUE(OrThrow(file->Read(0)).arguments.at(0).toTensor().is_same(x));
  EXPECT_EQ(OrThrow(file->Read(0)).source, "here");
  EXPECT_THAT(OrThrow(file->ReadFirst(0)), IsEmpty());
  EXPECT_THAT(OrThrow(file->ReadFirst(2)), SizeIs(2));
  EXPECT_EQ(MakeBatchFile({})->size(), 0);
}

TEST(OpenBatchFileTest, ReadsBatchesAndTheFirstOfThem) {
  const std::string path = PathOf("split");
  const File file = OrThrow(OpenBatchFile(path));
  ASSERT_EQ(file->size(), 4);
  for (int64_t count = 0; count <= file->size(); ++count) {
    const std::vector<Batch> first = OrThrow(file->ReadFirst(count));
    ASSERT_THAT(first, SizeIs(count));
    for (int64_t i = 0; i < count; ++i) {
      const Batch one = OrThrow(file->Read(i));
      EXPECT_EQ(first[i].source, absl::StrCat(path, ": batch ", i));
      EXPECT_EQ(one.source, first[i].source);
      EXPECT_TRUE(one.arguments.at(0).toTensor().equal(
          first[i].arguments.at(0).toTensor()));
    }
  }
  // What shares a storage in the file does so here, where it is read at once.
  const std::vector<Batch> all = OrThrow(file->ReadFirst(4));
  EXPECT_TRUE(all[0].arguments[0].toTensor().is_alias_of(
      all[3].arguments[0].toTensor()));
}

TEST(OpenBatchFileTest, ReadsAValueThatIsNoListAsOneBatch) {
  for (const char* name : {"tensor", "top_dict"}) {
    const File file = OrThrow(OpenBatchFile(PathOf(name)));
    EXPECT_EQ(file->size(), 1) << name;
    NS_EXPECT_OK(file->Read(0).status());
    EXPECT_THAT(OrThrow(file->ReadFirst(1)), SizeIs(1));
  }
}

TEST(OpenBatchFileTest, ReadsArraysOfNumPyAsArguments) {
  const at::Tensor x = at::arange(12, at::kFloat).view({3, 4});
  const at::Tensor ids = at::arange(5, at::kLong).view({5, 1});
  const Batch array = OrThrow(OrThrow(OpenBatchFile(PathOf("npy")))->Read(0));
  ASSERT_THAT(array.arguments, SizeIs(1));
  EXPECT_TRUE(array.arguments[0].toTensor().equal(x));
  const Batch unnamed = OrThrow(OrThrow(OpenBatchFile(PathOf("npz")))->Read(0));
  ASSERT_THAT(unnamed.arguments, SizeIs(2));
  EXPECT_TRUE(unnamed.arguments[0].toTensor().equal(x));
  EXPECT_TRUE(unnamed.arguments[1].toTensor().equal(ids));
  EXPECT_EQ(unnamed.source, PathOf("npz") + ": batch 0");
  const Batch named =
      OrThrow(OrThrow(OpenBatchFile(PathOf("npz_named")))->Read(0));
  EXPECT_THAT(named.arguments, IsEmpty());
  EXPECT_TRUE(named.keywords.at("x").toTensor().equal(x));
  EXPECT_TRUE(named.keywords.at("ids").toTensor().equal(ids));
}

TEST(OpenBatchFileTest, MakesRandomBatches) {
  const File file = OrThrow(OpenBatchFile("random:2,3"));
  EXPECT_EQ(file->size(), 8);
  EXPECT_THAT(OrThrow(file->ReadFirst(3)), SizeIs(3));
}

TEST(OpenBatchFileTest, BatchesOfTorchScriptNeedNoGradient) {
  for (const char* name : {"script_batches", "script_forward"}) {
    const File file = OrThrow(OpenBatchFile(PathOf(name)));
    ASSERT_EQ(file->size(), 2) << name;
    const Batch batch = OrThrow(file->Read(1));
    EXPECT_EQ(batch.source, PathOf(name) + ": batch 1");
    EXPECT_FALSE(batch.arguments.at(0).toTensor().requires_grad());
  }
}

TEST(OpenBatchFileTest, SaysWhatAFileIsInstead) {
  ExpectError("no/such/file.pt", "cannot open: No such file or directory");
  ExpectError(testing::TempDir(), "is a folder");
  const std::string path = TemporaryPath("broken.pt");
  WriteFile(path, "");
  ExpectError(path, "is empty");
  WriteFile(path, "hello world, this is no archive");
  ExpectError(path, "is no file of torch.save");
  WriteFile(path, "\x80\x04K\x01.");
  ExpectError(path, "is a bare pickle");
  const std::string good = ReadFile(PathOf("two"));
  for (const size_t size : {size_t{2}, good.size() / 2, good.size() - 40}) {
    WriteFile(path, good.substr(0, size));
    ExpectError(path, "is truncated or damaged");
  }
  ExpectError(PathOf("legacy"), "is in the legacy format of torch.save");
}

TEST(OpenBatchFileTest, RefusesAnArchiveWithoutAPickle) {
  const std::string path = TemporaryPath("notes.pt");
  {
    caffe2::serialize::PyTorchStreamWriter writer(path);
    writer.writeRecord("notes.txt", "none", 4);
    writer.writeEndOfFile();
  }
  ExpectError(path, "is a zip file without the record data.pkl");
}

TEST(OpenBatchFileTest, ExplainsTorchScriptWithoutBatches) {
  ExpectError(PathOf("script_model"),
              "without an attribute 'batches', whose forward takes 1 argument");
  ExpectError(PathOf("script_fails"), "forward() failed");
}

// The records of tensors are only looked at when they are read.
TEST(OpenBatchFileTest, ABatchThatIsDamagedIsNamedWhenItIsRead) {
  const std::string path = TemporaryPath("two.pt");
  WriteFile(path, ReadFile(PathOf("two")));
  const File file = OrThrow(OpenBatchFile(path));
  NS_EXPECT_OK(file->Read(1).status());
  WriteFile(path, ReadFile(path).substr(0, 100));
  EXPECT_THAT(MessageOf(file->Read(1)),
              StartsWith(path + ": batch 1: the file has changed"));
  EXPECT_THAT(MessageOf(file->ReadFirst(1)),
              StartsWith(path + ": the file has changed"));
}

TEST(LoadSavedValueTest, NeedsNoBatches) {
  const c10::IValue value = OrThrow(LoadSavedValue(PathOf("split")));
  EXPECT_EQ(value.toListRef().size(), 4U);
  EXPECT_THAT(std::string(LoadSavedValue("/nowhere.pt").status().message()),
              StartsWith("/nowhere.pt: "));
}

}  // namespace
}  // namespace ns
