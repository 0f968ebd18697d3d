#include "ns/batches/batch_reader.h"

#include <ATen/ATen.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batches.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A file that make_batches.py wrote.
std::string File(absl::string_view name) {
  return absl::StrCat("tests/ns/batches/batch_files/", name, ".pt");
}

BatchReader Open(absl::string_view name) {
  return OrThrow(BatchReader::Open({File(name)}));
}

// The only argument of batch `index`.
at::Tensor TensorOf(const BatchReader& reader, int64_t index) {
  return OrThrow(reader.Read(index)).arguments.at(0).toTensor();
}

// A copy of a file that the test may damage.
std::string CopyOf(absl::string_view name) {
  std::string path = TemporaryPath(absl::StrCat(name, ".pt"));
  WriteFile(path, ReadFile(File(name)));
  return path;
}

// Tensors equal in values, sizes, strides and quantizers, numbers and
// containers in values.
void ExpectSame(const c10::IValue& actual, const c10::IValue& expected) {
  ASSERT_EQ(actual.tagKind(), expected.tagKind());
  if (expected.isTensor()) {
    EXPECT_TRUE(actual.toTensor().equal(expected.toTensor()));
    EXPECT_EQ(actual.toTensor().strides(), expected.toTensor().strides());
  } else if (expected.isTuple()) {
    const auto& elements = expected.toTupleRef().elements();
    ASSERT_EQ(actual.toTupleRef().elements().size(), elements.size());
    for (size_t i = 0; i < elements.size(); ++i) {
      ExpectSame(actual.toTupleRef().elements()[i], elements[i]);
    }
  } else if (expected.isList()) {
    ASSERT_EQ(actual.toListRef().size(), expected.toListRef().size());
    for (size_t i = 0; i < expected.toListRef().size(); ++i) {
      ExpectSame(actual.toListRef()[i], expected.toListRef()[i]);
    }
  } else if (!expected.isGenericDict()) {
    EXPECT_EQ(actual, expected);
  }
}

void ExpectSame(const Batch& actual, const Batch& expected) {
  EXPECT_EQ(actual.source, expected.source);
  ASSERT_EQ(actual.arguments.size(), expected.arguments.size());
  for (size_t i = 0; i < expected.arguments.size(); ++i) {
    ExpectSame(actual.arguments[i], expected.arguments[i]);
  }
  ASSERT_EQ(actual.keywords.size(), expected.keywords.size());
  for (const auto& [name, value] : expected.keywords) {
    ExpectSame(actual.keywords.at(name), value);
  }
}

class BatchReaderFileTest : public testing::TestWithParam<const char*> {};

TEST_P(BatchReaderFileTest, ReadsOneByOneWhatLoadBatchesReads) {
  const std::vector<Batch> expected = OrThrow(LoadBatches(File(GetParam())));
  const BatchReader reader = Open(GetParam());
  ASSERT_EQ(reader.size(), expected.size());
  for (int64_t i = reader.size() - 1; i >= 0; --i) {
    ExpectSame(OrThrow(reader.Read(i)), expected[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, BatchReaderFileTest,
    testing::Values("attribute", "channels_last", "channels_split", "columns",
                    "compressed", "dict2", "dtypes", "empty_tensor",
                    "empty_views", "expanded", "many", "nested_lists",
                    "no_arguments", "ordered_dict", "pairs", "parameter",
                    "per_channel", "per_tensor", "repeated", "script_batches",
                    "script_dicts", "script_forward", "split", "tensor",
                    "top_dict", "tuples", "views"));

TEST(BatchReaderTest, ReadsABatchAgain) {
  const BatchReader reader = Open("split");
  ASSERT_EQ(reader.size(), 4);
  TensorOf(reader, 2).zero_();
  EXPECT_EQ(TensorOf(reader, 2)[0][0].item<float>(), 2 * 64 * 5);
}

TEST(BatchReaderTest, ReadsSeveralFilesInOrder) {
  const BatchReader reader =
      OrThrow(BatchReader::Open({File("two"), File("tensor"), File("tuples")}));
  ASSERT_EQ(reader.size(), 5);
  EXPECT_EQ(OrThrow(reader.Read(1)).source, File("two") + ": batch 1");
  EXPECT_EQ(OrThrow(reader.Read(2)).source, File("tensor") + ": batch 0");
  EXPECT_EQ(OrThrow(reader.Read(4)).source, File("tuples") + ": batch 1");
  const std::vector<Batch> all = OrThrow(reader.ReadAll());
  ASSERT_EQ(all.size(), 5);
  EXPECT_EQ(all[4].source, File("tuples") + ": batch 1");
}

TEST(BatchReaderTest, StopsAtTheMostBatches) {
  for (const int64_t most : {1, 2, 3, 4}) {
    const BatchReader reader =
        OrThrow(BatchReader::Open({File("two"), File("tensor")}, most));
    EXPECT_EQ(reader.size(), most < 3 ? most : 3);
    EXPECT_EQ(OrThrow(reader.ReadAll()).size(), reader.size());
  }
}

TEST(BatchReaderTest, FilesBehindTheMostBatchesAreNotOpened) {
  const std::vector<std::string> paths = {File("two"), "no/such/file.pt"};
  EXPECT_EQ(OrThrow(BatchReader::Open(paths, 2)).size(), 2);
  EXPECT_THAT(MessageOf(BatchReader::Open(paths, 3)),
              StartsWith("no/such/file.pt: cannot open"));
}

TEST(BatchReaderTest, AViewCostsItsOwnBytes) {
  const BatchReader reader = Open("split");
  for (int64_t i = 0; i < reader.size(); ++i) {
    EXPECT_EQ(TensorOf(reader, i).storage().nbytes(), 64 * 5 * sizeof(float));
  }
  // The second row of a storage of four, and what is before it in its 64 bytes.
  EXPECT_LT(TensorOf(Open("views"), 0).storage().nbytes(),
            6 * sizeof(float) + 64);
}

TEST(BatchReaderTest, TensorsOfABatchShareTheirStorage) {
  const Batch batch = OrThrow(Open("pairs").Read(1));
  ASSERT_EQ(batch.arguments.size(), 2);
  const at::Tensor first = batch.arguments[0].toTensor();
  const at::Tensor second = batch.arguments[1].toTensor();
  EXPECT_TRUE(first.is_alias_of(second));
  EXPECT_EQ(first.storage().nbytes(), 2 * 64 * sizeof(float));
}

TEST(BatchReaderTest, ReadAllKeepsSharedStorages) {
  const std::vector<Batch> batches = OrThrow(Open("split").ReadAll());
  EXPECT_TRUE(batches.at(0).arguments.at(0).toTensor().is_alias_of(
      batches.at(3).arguments.at(0).toTensor()));
}

TEST(BatchReaderTest, ChecksElementsBeforeTheyAreRead) {
  EXPECT_THAT(MessageOf(BatchReader::Open({File("number_in_list")})),
              StartsWith(File("number_in_list") +
                         ": element 1 is an int; a batch is a tensor"));
  EXPECT_THAT(MessageOf(BatchReader::Open({File("numpy_array")})),
              StartsWith(File("numpy_array") + ": holds a NumPy value"));
  // Also behind those that are wanted.
  EXPECT_FALSE(BatchReader::Open({File("number_in_list")}, 1).ok());
}

TEST(BatchReaderTest, FindsAMissingStorageBeforeItIsRead) {
  const std::string path = CopyOf("two");
  std::string content = ReadFile(path);
  // In the directory at the end; the record has another name in its header.
  content[content.rfind("data/1") + 5] = '7';
  WriteFile(path, content);
  EXPECT_THAT(MessageOf(BatchReader::Open({path})),
              HasSubstr("without the record data/1; save it again"));
}

void ExpectReadError(const BatchReader& reader, const std::string& path,
                     const std::string& what) {
  const absl::Status status = reader.Read(1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              StartsWith(path + ": batch 1: " + what));
}

TEST(BatchReaderTest, NoticesAFileThatIsGone) {
  const std::string path = CopyOf("two");
  const BatchReader reader = OrThrow(BatchReader::Open({path}));
  std::remove(path.c_str());
  ExpectReadError(reader, path, "cannot open: No such file");
}

TEST(BatchReaderTest, NoticesAFileThatGotShorter) {
  const std::string path = CopyOf("two");
  const BatchReader reader = OrThrow(BatchReader::Open({path}));
  std::filesystem::resize_file(path, 100);
  ExpectReadError(reader, path, "the file has changed since it was opened");
  std::filesystem::resize_file(path, 0);
  ExpectReadError(reader, path, "is empty");
}

TEST(BatchReaderTest, NoticesAnotherFileOfTheSameSize) {
  const std::string path = CopyOf("two");
  const BatchReader reader = OrThrow(BatchReader::Open({path}));
  NS_ASSERT_OK(reader.Read(1).status());
  const std::string other = path + ".new";
  WriteFile(other, ReadFile(path));
  std::filesystem::last_write_time(other,
                                   std::filesystem::last_write_time(path));
  std::filesystem::rename(other, path);
  ExpectReadError(reader, path, "the file has changed since it was opened");
}

TEST(BatchReaderTest, NoticesAWriteThatKeepsTheSize) {
  const std::string path = CopyOf("two");
  const BatchReader reader = OrThrow(BatchReader::Open({path}));
  std::filesystem::last_write_time(
      path,
      std::filesystem::last_write_time(path) + std::chrono::milliseconds(1));
  ExpectReadError(reader, path, "the file has changed since it was opened");
}

TEST(BatchReaderTest, NeedsNoFileOfATorchScriptModule) {
  const std::string path = CopyOf("script_batches");
  const BatchReader reader = OrThrow(BatchReader::Open({path}));
  std::remove(path.c_str());
  ASSERT_EQ(reader.size(), 2);
  const Batch batch = OrThrow(reader.Read(1));
  EXPECT_EQ(batch.source, path + ": batch 1");
  EXPECT_EQ(batch.arguments.at(0).toTensor().numel(), 3);
}

TEST(BatchReaderTest, GivesTheBatchesOfItsCaller) {
  const at::Tensor x = at::ones({2});
  BatchReader reader = BatchReader::FromBatches({{{x}, {}, "here"}, {}});
  ASSERT_EQ(reader.size(), 2);
  const Batch batch = OrThrow(reader.Read(0));
  EXPECT_TRUE(batch.arguments.at(0).toTensor().is_same(x));
  EXPECT_EQ(batch.source, "here");
  const BatchReader moved = std::move(reader);
  EXPECT_EQ(OrThrow(moved.ReadAll()).size(), 2);
  EXPECT_EQ(BatchReader::FromBatches({}).size(), 0);
}

TEST(BatchReaderTest, RefusesAPipe) {
  const std::string path = TemporaryPath("pipe");
  std::remove(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(MessageOf(BatchReader::Open({path})),
              StartsWith(path + ": is a pipe or a device"));
}

TEST(BatchReaderTest, ReadsSomeSamples) {
  const BatchReader all = BatchReader::FromBatches(
      {{{at::arange(3)}, {}, {}}, {{at::arange(4)}, {}, "a.pt: batch 1"}});
  const BatchReader some =
      BatchReader::OfSamples(all, {{0, 3, {2}}, {1, 4, {0, 3}}});
  ASSERT_EQ(some.size(), 2);
  EXPECT_EQ(TensorOf(some, 0).item<int64_t>(), 2);
  EXPECT_EQ(TensorOf(some, 1)[1].item<int64_t>(), 3);
  EXPECT_EQ(OrThrow(some.Read(0)).source, "batch 0");
  EXPECT_EQ(OrThrow(some.Read(1)).source, "a.pt: batch 1");
  EXPECT_EQ(OrThrow(some.ReadAll()).size(), 2U);
  const BatchReader later = BatchReader::OfSamples(all, {{1, 4, {1}}});
  EXPECT_EQ(TensorOf(later, 0).item<int64_t>(), 1);
}

}  // namespace
}  // namespace ns
