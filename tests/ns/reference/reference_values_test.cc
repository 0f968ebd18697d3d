#include "ns/reference/reference_values.h"

#include <ATen/ATen.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/write_torch_save.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Values = std::unique_ptr<ReferenceValues>;

class ReferenceValuesTest : public testing::Test {
 protected:
  ReferenceValuesTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  // Returns the path.
  std::string Save(const std::string& name, const c10::IValue& value) const {
    std::string path = absl::StrCat(folder_, "/", name);
    OrThrow(WriteTorchSave(path, value));
    return path;
  }

  // An array with two columns.
  std::string SaveArray(const std::string& name,
                        const std::vector<float>& values) const {
    const std::string dict =
        absl::StrCat("{'descr': '<f4', 'fortran_order': False, 'shape': (",
                     values.size() / 2, ", 2), }\n");
    std::string file("\x93NUMPY\x01\0", 8);
    file.push_back(static_cast<char>(dict.size()));
    file.push_back('\0');
    file += dict;
    file.append(reinterpret_cast<const char*>(values.data()),  // NOLINT
                values.size() * sizeof(float));
    std::string path = absl::StrCat(folder_, "/", name);
    WriteFile(path, file);
    return path;
  }

  Values OpenSaved(const c10::IValue& value) const {
    return OrThrow(OpenReferenceTorchSave(Save("fc.pt", value)));
  }

  const std::string folder_ = TemporaryPath("values");
};

ReferencePlace At(int64_t batch, std::vector<int64_t> shape,
                  std::string output = "") {
  return {batch, /*call=*/0, std::move(output), std::move(shape)};
}

at::Tensor ReadAt(const Values& values, const ReferencePlace& place) {
  const ReferenceValue value = OrThrow(values->Read(place));
  EXPECT_EQ(value.missing, "");
  return value.tensor;
}

std::string MissingAt(const Values& values, const ReferencePlace& place) {
  const ReferenceValue value = OrThrow(values->Read(place));
  EXPECT_FALSE(value.tensor.defined());
  return value.missing;
}

c10::IValue ListOf(const std::vector<c10::IValue>& elements) {
  c10::impl::GenericList list(c10::AnyType::get());
  for (const c10::IValue& element : elements) {
    list.push_back(element);
  }
  return list;
}

TEST_F(ReferenceValuesTest, AnEmptyBatchTakesNoRows) {
  const Values of_array =
      OrThrow(OpenReferenceArray(SaveArray("fc.npy", {1, 2, 3, 4})));
  const Values of_tensor =
      OpenSaved(at::tensor({1.F, 2.F, 3.F, 4.F}).reshape({2, 2}));
  for (const Values* values : {&of_array, &of_tensor}) {
    EXPECT_EQ(ReadAt(*values, At(0, {0, 2})).sizes(), at::IntArrayRef({0, 2}));
    EXPECT_TRUE(ReadAt(*values, At(1, {1, 2}))
                    .equal(at::tensor({1.F, 2.F}).view({1, 2})));
    EXPECT_THAT((*values)->Rest(), HasSubstr("1 row of "));
    EXPECT_TRUE(ReadAt(*values, At(2, {1, 2}))
                    .equal(at::tensor({3.F, 4.F}).view({1, 2})));
    EXPECT_EQ(ReadAt(*values, At(3, {0, 2})).numel(), 0);
    EXPECT_THAT((*values)->Rest(), IsEmpty());
  }
}

TEST_F(ReferenceValuesTest, ASingleNumberIsOneValue) {
  const Values values = OpenSaved(at::scalar_tensor(2.5));
  EXPECT_THAT(MissingAt(values, At(0, {1})),
              HasSubstr("has the shape [] and the quantized model gives [1]"));
  EXPECT_THAT(values->Rest(), HasSubstr("1 row of "));
  EXPECT_TRUE(ReadAt(values, At(1, {})).equal(at::scalar_tensor(2.5)));
  EXPECT_THAT(MissingAt(values, At(2, {})),
              HasSubstr("holds one number and none is left for batch 2"));
  EXPECT_THAT(values->Rest(), IsEmpty());
}

TEST_F(ReferenceValuesTest, NumbersAreNoRowsOfOneElement) {
  const Values values = OpenSaved(at::ones({3, 1}));
  EXPECT_THAT(
      MissingAt(values, At(0, {})),
      HasSubstr("has the shape [3, 1] and the quantized model gives []"));
}

TEST_F(ReferenceValuesTest, WhatDoesNotFitTakesNoRows) {
  const Values values = OpenSaved(at::arange(6).reshape({3, 2}));
  EXPECT_THAT(MissingAt(values, At(0, {2})), HasSubstr("[3, 2]"));
  EXPECT_TRUE(
      ReadAt(values, At(1, {2, 2})).equal(at::arange(4).reshape({2, 2})));
  EXPECT_THAT(MissingAt(values, At(2, {4, 2})),
              HasSubstr("has the shape [3, 2] and 1 of its rows left for batch "
                        "2, and the quantized model gives [4, 2]"));
  EXPECT_THAT(values->Rest(), HasSubstr("1 row of "));
}

// The rows that are left belong to the call that has too few, not to the next.
TEST_F(ReferenceValuesTest, RowsThatRunShortAreOfNoLaterCall) {
  const Values of_array = OrThrow(OpenReferenceArray(
      SaveArray("fc.npy", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})));
  const Values of_tensor = OpenSaved(at::arange(12).reshape({6, 2}));
  for (const Values* values : {&of_array, &of_tensor}) {
    EXPECT_EQ(ReadAt(*values, At(0, {4, 2})).numel(), 8);
    const std::string reason = MissingAt(*values, At(1, {4, 2}));
    EXPECT_THAT(reason, HasSubstr("2 of its rows left for batch 1"));
    EXPECT_EQ(MissingAt(*values, At(2, {2, 2})), reason);
    EXPECT_EQ(ReadAt(*values, At(3, {0, 2})).numel(), 0);
    EXPECT_EQ(MissingAt(*values, At(4, {1, 2})), reason);
    EXPECT_THAT((*values)->Rest(), HasSubstr("2 rows of "));
  }
}

TEST_F(ReferenceValuesTest, ValuesStayWhatTheyAre) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor codes =
      at::quantize_per_tensor(at::tensor({1.F, 2.F}), 0.5, 3, at::kQUInt8);
  const Values values = OpenSaved(
      ListOf({at::tensor({7, 8}, at::kInt), at::tensor({nan}), codes,
              at::eye(2).narrow(1, 1, 1), at::ones({2}, at::kComplexFloat)}));
  EXPECT_EQ(ReadAt(values, At(0, {2})).scalar_type(), at::kInt);
  EXPECT_TRUE(ReadAt(values, At(1, {1})).isnan().all().item<bool>());
  EXPECT_EQ(ReadAt(values, At(2, {2})).q_zero_point(), 3);
  EXPECT_TRUE(
      ReadAt(values, At(3, {2, 1})).equal(at::tensor({0.F, 1.F}).view({2, 1})));
  EXPECT_THAT(MissingAt(values, At(4, {2})), HasSubstr("complex numbers"));
}

// The next call has the next element, whatever this one was.
TEST_F(ReferenceValuesTest, AnElementThatDoesNotFitIsPassedOver) {
  const Values values = OpenSaved(
      ListOf({at::ones({2}), int64_t{3}, at::zeros({2}), at::zeros({1})}));
  EXPECT_THAT(MissingAt(values, At(0, {3})),
              HasSubstr("fc.pt: element 0 has the shape [2] and the quantized "
                        "model gives [3]"));
  EXPECT_THAT(MessageOf(values->Read(At(1, {2}))),
              HasSubstr("fc.pt: element 1: holds an int where a tensor"));
  EXPECT_TRUE(ReadAt(values, At(2, {2})).equal(at::zeros({2})));
  EXPECT_THAT(values->Rest(), HasSubstr("1 tensor of "));
}

TEST_F(ReferenceValuesTest, FilesOfAllCallsHaveTheFirstOutputOnly) {
  const Values rows = OpenSaved(at::ones({2, 2}));
  EXPECT_EQ(MissingAt(rows, At(0, {2, 2}, "h_n")), "");
  EXPECT_THAT(rows->Rest(), HasSubstr("2 rows of "));
  const Values list = OpenSaved(ListOf({at::ones({2, 2})}));
  EXPECT_EQ(MissingAt(list, At(0, {2, 2}, "h_n")), "");
  EXPECT_THAT(list->Rest(), HasSubstr("1 tensor of "));
}

TEST_F(ReferenceValuesTest, FoldersHaveOtherOutputsInDictsAlone) {
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("float", at::ones({2, 2}));
  dict.insert("float_h_n", at::ones({3}));
  Save("batch_0000.pt", dict);
  Save("batch_0001.pt", at::ones({2, 2}));
  SaveArray("batch_0002.npy", {1, 2});
  WriteFile(absl::StrCat(folder_, "/notes.pt"), "mine");
  const Values values = OrThrow(OpenReferenceFolder(folder_));
  EXPECT_EQ(ReadAt(values, At(0, {2, 2})).numel(), 4);
  EXPECT_EQ(ReadAt(values, At(0, {3}, "h_n")).numel(), 3);
  EXPECT_EQ(MissingAt(values, At(0, {3}, "c_n")), "");
  EXPECT_EQ(ReadAt(values, At(1, {2, 2})).numel(), 4);
  EXPECT_EQ(MissingAt(values, At(1, {3}, "h_n")), "");
  EXPECT_THAT(values->Rest(), HasSubstr("1 file of "));
  EXPECT_THAT(MissingAt(values, At(2, {2})),
              HasSubstr("batch_0002.npy has the shape [1, 2] and the quantized "
                        "model gives [2]"));
  EXPECT_EQ(MissingAt(values, At(2, {1, 2}, "h_n")), "");
  EXPECT_THAT(values->Rest(), IsEmpty());
}

TEST_F(ReferenceValuesTest, WhatIsNotThereIsAnError) {
  const std::string none = absl::StrCat(folder_, "/none");
  EXPECT_THAT(MessageOf(OpenReferenceFolder(none)),
              AllOf(HasSubstr(none), HasSubstr("cannot read the folder")));
  EXPECT_THAT(MessageOf(OpenReferenceTorchSave(none)), HasSubstr(none));
  EXPECT_THAT(MessageOf(OpenReferenceArray(none)), HasSubstr(none));
}

}  // namespace
}  // namespace ns
