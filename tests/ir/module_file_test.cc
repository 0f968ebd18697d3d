#include "ir/module_file.h"

#include <ATen/Functions.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string ErrorOf(const std::string& path) {
  const auto module = LoadModule(path);
  EXPECT_FALSE(module.ok());
  std::string message = MessageOf(module);
  EXPECT_THAT(message, StartsWith(path + ": "));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  return message;
}

std::string SavedModel() {
  std::string path = TemporaryPath("model.pt");
  MakeModel({{"fc", Linear(at::ones({2, 2}))}}, {"return self.fc.forward(x)"})
      .save(path);
  return path;
}

// A zip file as PyTorch writes them, with one record.
std::string ZipWith(const std::string& record) {
  std::string path = TemporaryPath("archive.pt");
  caffe2::serialize::PyTorchStreamWriter writer(path);
  writer.writeRecord(record, "\x80\x02N.", 4);
  writer.writeEndOfFile();
  return path;
}

TEST(LoadModuleTest, LoadsWhatWasSaved) {
  const auto model = OrThrow(LoadModule(SavedModel()));
  const at::Tensor y =
      model.get_method("forward")({at::ones({1, 2})}).toTensor();
  EXPECT_TRUE(y.equal(at::full({1, 2}, 2.0)));
}

TEST(LoadModuleTest, NamesMissingFile) {
  EXPECT_THAT(ErrorOf("/no/such/file.pt"), HasSubstr("No such file"));
}

TEST(LoadModuleTest, TellsThatFileIsEmpty) {
  const std::string path = TemporaryPath("empty.pt");
  WriteFile(path, "");
  EXPECT_THAT(ErrorOf(path), HasSubstr("is empty"));
}

TEST(LoadModuleTest, TellsThatPathIsAFolder) {
  const std::string path = TemporaryPath("folder");
  std::filesystem::create_directory(path);
  EXPECT_THAT(ErrorOf(path), HasSubstr("is a folder"));
}

TEST(LoadModuleTest, TellsThatFileIsTruncated) {
  const std::string whole = ReadFile(SavedModel());
  for (const size_t size :
       {size_t{1}, size_t{10}, whole.size() / 2, whole.size() - 1}) {
    const std::string path = TemporaryPath("truncated.pt");
    WriteFile(path, whole.substr(0, size));
    EXPECT_THAT(ErrorOf(path), HasSubstr("truncated")) << size;
  }
}

TEST(LoadModuleTest, TellsThatFileIsText) {
  const std::string path = TemporaryPath("text.pt");
  WriteFile(path, "This is no model.\n");
  EXPECT_THAT(ErrorOf(path), HasSubstr("is not a TorchScript file"));
}

TEST(LoadModuleTest, TellsThatFileIsAPickle) {
  EXPECT_THAT(ErrorOf(ZipWith("data.pkl")), HasSubstr("holds a pickle"));
}

TEST(LoadModuleTest, TellsThatAPickleIsDamaged) {
  std::string file = ReadFile(SavedModel());
  const std::string start_of_pickle = "\x80\x02";
  const size_t start = file.find(start_of_pickle);
  ASSERT_NE(start, std::string::npos);
  file[start + start_of_pickle.size()] = '\xbe';
  const std::string path = TemporaryPath("damaged.pt");
  WriteFile(path, file);
  EXPECT_THAT(ErrorOf(path),
              AllOf(HasSubstr("is damaged"), Not(HasSubstr("0x"))));
}

TEST(LoadModuleTest, TellsThatZipIsNoTorchScript) {
  EXPECT_THAT(ErrorOf(ZipWith("notes.txt")),
              HasSubstr("is a zip file, but not TorchScript"));
}

TEST(LoadModuleTest, RefusesArchiveWithoutCode) {
  EXPECT_THAT(ErrorOf(ZipWith("constants.pkl")), HasSubstr("cannot load"));
}

}  // namespace
}  // namespace ns
