#include "ns/reference/reference_files.h"

#include <ATen/ATen.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/write_torch_save.h"
#include "ns/reference/reference_values.h"
#include "ns/saved/activation_files.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReferenceFilesTest : public testing::Test {
 protected:
  ReferenceFilesTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  std::string Path(const std::string& name) const {
    return absl::StrCat(folder_, "/", name);
  }

  void SaveTorch(const std::string& name, const c10::IValue& value) const {
    OrThrow(WriteTorchSave(Path(name), value));
  }

  // An array of one dimension.
  void SaveArray(const std::string& name,
                 const std::vector<float>& values) const {
    std::string dict =
        absl::StrCat("{'descr': '<f4', 'fortran_order': False, 'shape': (",
                     values.size(), ",), }\n");
    std::string file("\x93NUMPY\x01\0", 8);
    file.push_back(static_cast<char>(dict.size()));
    file.push_back('\0');
    file += dict;
    file.append(reinterpret_cast<const char*>(values.data()),  // NOLINT
                values.size() * sizeof(float));
    WriteFile(Path(name), file);
  }

  std::unique_ptr<ReferenceValues> OpenLayer(const std::string& layer) const {
    ReferenceFiles files = OrThrow(ReferenceFiles::Open(folder_));
    return OrThrow(files.OpenLayer(layer));
  }

  const std::string folder_ = TemporaryPath("reference");
};

ReferencePlace At(int64_t batch, std::vector<int64_t> shape, int64_t call = 0,
                  std::string output = "") {
  return {batch, call, std::move(output), std::move(shape)};
}

void ExpectValue(ReferenceValues& values, const ReferencePlace& place,
                 const at::Tensor& expected) {
  const ReferenceValue value = OrThrow(values.Read(place));
  ASSERT_TRUE(value.tensor.defined()) << value.missing;
  EXPECT_TRUE(value.tensor.equal(expected));
}

std::string MissingAt(ReferenceValues& values, const ReferencePlace& place) {
  const ReferenceValue value = OrThrow(values.Read(place));
  EXPECT_FALSE(value.tensor.defined());
  return value.missing;
}

TEST_F(ReferenceFilesTest, ReadsWhatActivationFilesSave) {
  ActivationFiles saved = OrThrow(ActivationFiles::Create({folder_}));
  const at::Tensor x = at::rand({2, 3});
  const at::Tensor h = at::rand({4});
  NS_ASSERT_OK(saved.Save("a/b", 0, 0, {{"float", x}, {"float_h_n", h}}));
  NS_ASSERT_OK(saved.Save("a/b", 0, 1, {{"float", x + 1}}));
  const auto values = OpenLayer("a/b");
  ExpectValue(*values, At(0, {2, 3}), x);
  ExpectValue(*values, At(0, {2, 3}, /*call=*/1), x + 1);
  ExpectValue(*values, At(0, {4}, /*call=*/0, "h_n"), h);
  EXPECT_EQ(MissingAt(*values, At(0, {4}, /*call=*/0, "c_n")), "");
  EXPECT_THAT(MissingAt(*values, At(1, {2, 3})),
              HasSubstr("a%2Fb/batch_0001.pt or .npy"));
  EXPECT_EQ(values->Rest(), "");
}

TEST_F(ReferenceFilesTest, ReadsFoldersOfArrays) {
  fs::create_directory(Path("fc"));
  SaveArray("fc/batch_0000.npy", {1, 2});
  SaveArray("fc/batch_0001.npy", {3, 4});
  const auto values = OpenLayer("fc");
  ExpectValue(*values, At(0, {2}), at::tensor({1.F, 2.F}));
  EXPECT_THAT(values->Rest(), HasSubstr("1 file of "));
}

TEST_F(ReferenceFilesTest, TakesRowsInOrder) {
  SaveArray("fc.npy", {1, 2, 3, 4, 5, 6});
  SaveTorch("gc.pt", at::tensor({1.F, 2.F, 3.F, 4.F, 5.F, 6.F}));
  for (const char* layer : {"fc", "gc"}) {
    const auto values = OpenLayer(layer);
    ExpectValue(*values, At(0, {2}), at::tensor({1.F, 2.F}));
    ExpectValue(*values, At(0, {}, /*call=*/1), at::scalar_tensor(3.F));
    EXPECT_THAT(MissingAt(*values, At(1, {2, 2})),
                HasSubstr("has the shape [6] and the quantized model gives "
                          "[2, 2]"));
    ExpectValue(*values, At(1, {2}), at::tensor({4.F, 5.F}));
    EXPECT_THAT(values->Rest(), HasSubstr("1 row of "));
    EXPECT_THAT(MissingAt(*values, At(2, {2})),
                HasSubstr("1 of its rows left for batch 2"));
  }
}

TEST_F(ReferenceFilesTest, OneNumberIsForTheFirstCall) {
  SaveTorch("mean.pt", at::scalar_tensor(3.F));
  const auto values = OpenLayer("mean");
  ExpectValue(*values, At(0, {}), at::scalar_tensor(3.F));
  EXPECT_EQ(values->Rest(), "");
  EXPECT_THAT(MissingAt(*values, At(1, {})),
              HasSubstr("mean.pt holds one number and none is left for batch "
                        "1; save a vector"));
  EXPECT_THAT(MissingAt(*values, At(1, {2})),
              HasSubstr("has the shape [] and the quantized model gives [2]"));
}

TEST_F(ReferenceFilesTest, TakesElementsOfListsInOrder) {
  // As Python writes it: LibTorch would call a function for a list of tensors.
  c10::impl::GenericList list(c10::AnyType::get());
  list.push_back(at::ones({2}));
  list.push_back(at::zeros({3}));
  SaveTorch("fc.pt", list);
  const auto values = OpenLayer("fc");
  ExpectValue(*values, At(0, {2}), at::ones({2}));
  ExpectValue(*values, At(1, {3}), at::zeros({3}));
  EXPECT_THAT(MissingAt(*values, At(2, {3})),
              HasSubstr("fc.pt has only 2 tensors"));
}

TEST_F(ReferenceFilesTest, ListsWhatWasNotOpened) {
  SaveArray("fc.npy", {1});
  SaveArray("other.npy", {1});
  fs::create_directory(Path("deep"));
  WriteFile(Path("notes.txt"), "mine");
  ReferenceFiles files = OrThrow(ReferenceFiles::Open(folder_));
  EXPECT_NE(OrThrow(files.OpenLayer("fc")), nullptr);
  EXPECT_EQ(OrThrow(files.OpenLayer("../reference/other")), nullptr);
  EXPECT_THAT(files.NotOpened(), ElementsAre("deep", "other"));
}

TEST_F(ReferenceFilesTest, BadFoldersAreRefused) {
  EXPECT_THAT(MessageOf(ReferenceFiles::Open(folder_)),
              HasSubstr("holds no values"));
  EXPECT_THAT(MessageOf(ReferenceFiles::Open(Path("none"))),
              HasSubstr("none: cannot read the folder: No such file"));
  SaveArray("fc.npy", {1});
  EXPECT_THAT(MessageOf(ReferenceFiles::Open(Path("fc.npy"))),
              HasSubstr("is a file"));
  fs::create_directory(Path("fc"));
  EXPECT_THAT(MessageOf(ReferenceFiles::Open(folder_)),
              HasSubstr("holds both "));
}

TEST_F(ReferenceFilesTest, BadFilesAreNamed) {
  SaveTorch("number.pt", int64_t{3});
  WriteFile(Path("cut.pt"), "PK\x03\x04 no more");
  WriteFile(Path("text.npy"), "1, 2, 3");
  fs::create_directory(Path("twice"));
  SaveArray("twice/batch_0000.npy", {1});
  SaveTorch("twice/batch_0000.pt", at::ones({1}));
  fs::create_directory(Path("dict"));
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("quantized", at::ones({1}));
  SaveTorch("dict/batch_0000.pt", dict);
  ReferenceFiles files = OrThrow(ReferenceFiles::Open(folder_));
  EXPECT_THAT(MessageOf(files.OpenLayer("number")),
              HasSubstr("number.pt: holds an int where a tensor"));
  EXPECT_THAT(MessageOf(files.OpenLayer("cut")), HasSubstr("cut.pt: "));
  EXPECT_THAT(MessageOf(files.OpenLayer("text")),
              HasSubstr("text.npy: is no .npy file"));
  EXPECT_THAT(MessageOf(files.OpenLayer("twice")), HasSubstr("keep one"));
  const auto values = OrThrow(files.OpenLayer("dict"));
  EXPECT_THAT(MessageOf(values->Read(At(0, {1}))),
              HasSubstr("batch_0000.pt: holds a dict without 'float'"));
}

}  // namespace
}  // namespace ns
