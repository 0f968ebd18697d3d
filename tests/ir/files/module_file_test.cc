#include "ir/files/module_file.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/engine_error.h"
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

SavedModule SavedLinear() {
  return SavedModule(MakeModel({{"fc", Linear(at::ones({3, 2}))}},
                               {"return self.fc.forward(x)"}));
}

SavedModule SavedConv() {
  return SavedModule(
      MakeModel({{"conv", QuantizedConv2d(at::ones({4, 3, 2, 2}), false)}},
                {"return self.conv.forward(x)"}));
}

TEST(LoadModuleTest, TellsThatAPickleIsDamaged) {
  SavedModule file = SavedLinear();
  file.bytes()[file.Record("data.pkl").offset + 2] = '\xbe';
  EXPECT_THAT(ErrorOf(file.Write()),
              HasSubstr("is damaged, in its record data.pkl; "));
}

TEST(LoadModuleTest, ComparesEveryRecordWithItsChecksum) {
  const SavedModule good = SavedLinear();
  for (const RecordPlace& record : good.records()) {
    if (record.size == 0) {
      continue;
    }
    SavedModule file = good;
    file.Damage(record);
    EXPECT_THAT(ErrorOf(file.Write()), HasSubstr("damaged")) << record.name;
  }
}

TEST(LoadModuleTest, LoadsQuantizedConvolutions) {
  NS_EXPECT_OK(LoadModule(SavedConv().Write()).status());
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
  EXPECT_THAT(
      ErrorOf(ZipWith("notes.txt")),
      HasSubstr("is a zip file without the record data.pkl of torch.save"));
}

TEST(LoadModuleTest, RefusesArchiveWithoutCode) {
  EXPECT_THAT(ErrorOf(ZipWith("constants.pkl")), HasSubstr("cannot load"));
}

}  // namespace
}  // namespace ns
