#include "ir/module_file.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/engine_error.h"
#include "tests/testing/modules.h"
#include "tests/testing/mutate_archive.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

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

// A saved file, and where its records are.
class SavedFile {
 public:
  explicit SavedFile(const torch::jit::Module& model) {
    model.save(path_);
    bytes_ = ReadFile(path_);
    records_ = FindRecordPlaces(bytes_);
  }

  std::string& bytes() { return bytes_; }

  const RecordPlace& Record(const std::string& name) const {
    for (const RecordPlace& record : records_) {
      if (record.name == name) {
        return record;
      }
    }
    throw std::out_of_range(name);
  }

  // The tensor of `size` bytes.
  const RecordPlace& Tensor(size_t size) const {
    for (const RecordPlace& record : records_) {
      if (record.size == size && absl::StartsWith(record.name, "data/")) {
        return record;
      }
    }
    throw std::out_of_range("no such tensor");
  }

  // Replaces the first `old` in a record.
  void Replace(const std::string& name, const std::string& old,
               const std::string& text) {
    const RecordPlace& record = Record(name);
    const size_t start = bytes_.find(old, record.offset);
    ASSERT_LT(start, record.offset + record.size);
    bytes_.replace(start, old.size(), text);
    SetRecordSize(bytes_, record, record.size);
  }

  std::string Error() const {
    WriteFile(path_, bytes_);
    return ErrorOf(path_);
  }

 private:
  const std::string path_ = TemporaryPath("saved.pt");
  std::string bytes_;
  std::vector<RecordPlace> records_;
};

SavedFile SavedLinear() {
  return SavedFile(MakeModel({{"fc", Linear(at::ones({3, 2}))}},
                             {"return self.fc.forward(x)"}));
}

SavedFile SavedConv() {
  return SavedFile(
      MakeModel({{"conv", QuantizedConv2d(at::ones({4, 3, 2, 2}), false)}},
                {"return self.conv.forward(x)"}));
}

TEST(LoadModuleTest, TellsThatAPickleIsDamaged) {
  SavedFile file = SavedLinear();
  file.bytes()[file.Record("data.pkl").offset + 2] = '\xbe';
  EXPECT_THAT(file.Error(), HasSubstr("is damaged, in its record data.pkl; "));
}

TEST(LoadModuleTest, ComparesEveryRecordWithItsChecksum) {
  for (const RecordPlace& record : FindRecordPlaces(SavedLinear().bytes())) {
    if (record.size == 0) {
      continue;
    }
    SavedFile file = SavedLinear();
    char& last = file.bytes()[record.offset + record.size - 1];
    last = static_cast<char>(last ^ 1);
    EXPECT_THAT(file.Error(), HasSubstr("damaged")) << record.name;
  }
}

TEST(LoadModuleTest, ComparesTensorsWithTheirRecords) {
  SavedFile file = SavedLinear();
  SetRecordSize(file.bytes(), file.Tensor(24), 20);
  EXPECT_THAT(file.Error(), HasSubstr("20 bytes for 6 elements of 4"));
}

TEST(LoadModuleTest, ComparesWindowsWithStorages) {
  SavedFile file = SavedLinear();
  // The sizes of the weight.
  file.Replace("data.pkl", "(K\x03K\x02t", "(K\x04K\x02t");
  EXPECT_THAT(file.Error(), HasSubstr("reaches beyond its storage"));
}

TEST(LoadModuleTest, RefusesPicklesThatMakeLibTorchWriteToForeignMemory) {
  SavedFile file = SavedLinear();
  file.Replace("data.pkl", "q\x01", "q\xf0");
  EXPECT_THAT(file.Error(), HasSubstr("notes value 240 out of order"));
}

TEST(LoadModuleTest, RefusesHugeRecords) {
  for (const size_t field : {20, 24}) {
    SavedFile file = SavedLinear();
    const size_t position = file.Tensor(24).entry + field;
    file.bytes().replace(position, 4, "\xf0\xf0\xf0\xf0");
    EXPECT_THAT(file.Error(), HasSubstr("is truncated or damaged"));
  }
}

TEST(LoadModuleTest, RefusesConvolutionsThatDivideByZero) {
  // Of the packed parameters, which are int16: dimensions, and two each of
  // stride, padding, dilation and output padding; groups; flags.
  constexpr size_t kNumbers = 11;
  for (const size_t number : {0, 1, 2, 5, 6, 9}) {
    SavedFile file = SavedConv();
    const RecordPlace& record = file.Tensor(kNumbers * sizeof(int16_t));
    file.bytes().replace(record.offset + number * sizeof(int16_t), 2, 2, '\0');
    SetRecordSize(file.bytes(), record, record.size);
    EXPECT_THAT(file.Error(), HasSubstr("convolution")) << number;
  }
  SavedFile file = SavedConv();
  const RecordPlace& record = file.Tensor(kNumbers * sizeof(int16_t));
  SetRecordSize(file.bytes(), record, 0);
  EXPECT_THAT(file.Error(), HasSubstr("is damaged"));
}

TEST(LoadModuleTest, RefusesEmptyWeightsOfQuantizedLayers) {
  SavedFile file(MakeModel({{"fc", QuantizedLinear(at::ones({6, 5}), false)}},
                           {"return self.fc.forward(x)"}));
  file.Replace("data.pkl", "(K\x06K\x05t", std::string("(K\x06K\0t", 6));
  EXPECT_THAT(file.Error(), HasSubstr("weight of a quantized layer is empty"));
}

TEST(LoadModuleTest, LoadsQuantizedConvolutions) {
  const std::string path = TemporaryPath("conv.pt");
  WriteFile(path, SavedConv().bytes());
  NS_EXPECT_OK(LoadModule(path).status());
}

// An affine weight of a quantized layer, which QNNPACK packs and oneDNN does
// not.
TEST(LoadModuleTest, WhatAnotherEngineLoadsIsAnEngineError) {
  const at::QEngine before = at::globalContext().qEngine();
  const std::string path = TemporaryPath("affine.pt");
  at::globalContext().setQEngine(at::kQNNPACK);
  const at::Tensor weight = at::quantize_per_tensor(
      at::ones({3, 4}), 0.1, /*zero_point=*/2, at::kQInt8);
  MakeModule("Model",
             "def forward(self, x: Tensor) -> Tensor:\n"
             "    return ops.quantized.linear(x, self.packed, 1.0, 0)\n",
             {{"packed",
               CallOp("quantized::linear_prepack", {weight, c10::IValue()})}})
      .save(path);
  NS_EXPECT_OK(LoadModule(path).status());
  at::globalContext().setQEngine(at::kONEDNN);
  const absl::Status status = LoadModule(path).status();
  at::globalContext().setQEngine(before);
  EXPECT_TRUE(IsEngineError(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              StartsWith(path + ": cannot load: "));
}

TEST(LoadModuleTest, NoEngineLoadsWhatIsMissingOrDamaged) {
  const std::string path = TemporaryPath("half.pt");
  const std::string whole = ReadFile(SavedModel());
  WriteFile(path, whole.substr(0, whole.size() / 2));
  for (const std::string& bad : {path, TemporaryPath("none.pt")}) {
    const absl::Status status = LoadModule(bad).status();
    EXPECT_FALSE(status.ok()) << bad;
    EXPECT_FALSE(IsEngineError(status)) << status;
  }
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
