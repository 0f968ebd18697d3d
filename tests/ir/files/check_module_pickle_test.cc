#include "ir/files/check_module_pickle.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/input_file.h"
#include "ir/files/module_archive.h"
#include "tests/testing/modules.h"
#include "tests/testing/mutate_archive.h"
#include "tests/testing/saved_module.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

absl::Status StatusOf(const SavedModule& file) {
  return CheckModulePickle(
      *OrThrow(ModuleArchive::Open(OrThrow(InputFile::Open(file.Write())))),
      "data");
}

std::string ErrorOf(const SavedModule& file) {
  std::string message(StatusOf(file).message());
  EXPECT_THAT(message, AllOf(StartsWith("is damaged, in its record data"),
                             Not(HasSubstr("\n"))));
  return message;
}

// A weight of 6 elements of 4 bytes.
SavedModule SavedLinear() {
  return SavedModule(MakeModel({{"fc", Linear(at::ones({3, 2}))}},
                               {"return self.fc.forward(x)"}));
}

SavedModule SavedConv() {
  return SavedModule(
      MakeModel({{"conv", QuantizedConv2d(at::ones({4, 3, 2, 2}), false)}},
                {"return self.conv.forward(x)"}));
}

SavedModule SavedQuantizedLinear() {
  return SavedModule(
      MakeModel({{"fc", QuantizedLinear(at::ones({6, 5}), false)}},
                {"return self.fc.forward(x)"}));
}

TEST(CheckModulePickleTest, TakesWhatWasSaved) {
  NS_EXPECT_OK(StatusOf(SavedLinear()));
  NS_EXPECT_OK(StatusOf(SavedConv()));
  NS_EXPECT_OK(StatusOf(SavedQuantizedLinear()));
  // One scale a channel.
  const at::Tensor per_channel =
      at::quantize_per_channel(at::ones({4, 3}), at::full({4}, 0.5),
                               at::zeros({4}, at::kLong), 0, at::kQInt8);
  NS_EXPECT_OK(StatusOf(SavedModule(
      MakeModule("M", "def forward(self, x: Tensor) -> Tensor:\n    return x\n",
                 {{"w", per_channel}}))));
}

TEST(CheckModulePickleTest, ComparesTensorsWithTheirRecords) {
  SavedModule file = SavedLinear();
  SetRecordSize(file.bytes(), file.Tensor(24), 20);
  EXPECT_THAT(ErrorOf(file), HasSubstr("20 bytes for 6 elements of 4"));
}

TEST(CheckModulePickleTest, ComparesWindowsWithStorages) {
  SavedModule file = SavedLinear();
  // The sizes of the weight.
  file.Replace("data.pkl", "(K\x03K\x02t", "(K\x04K\x02t");
  EXPECT_THAT(ErrorOf(file), HasSubstr("reaches beyond its storage"));
}

TEST(CheckModulePickleTest,
     RefusesPicklesThatMakeLibTorchWriteToForeignMemory) {
  SavedModule file = SavedLinear();
  file.Replace("data.pkl", "q\x01", "q\xf0");
  EXPECT_THAT(ErrorOf(file), HasSubstr("notes value 240 out of order"));
}

TEST(CheckModulePickleTest, RefusesUnknownTypesOfStorages) {
  SavedModule file = SavedLinear();
  file.Replace("data.pkl", "FloatStorage", "FluatStorage");
  EXPECT_THAT(ErrorOf(file), HasSubstr("unknown type torch.FluatStorage"));
}

TEST(CheckModulePickleTest, ScalesMustFitTheirChannels) {
  const at::Tensor weight =
      at::quantize_per_channel(at::ones({4, 3}), at::full({4}, 0.5),
                               at::zeros({4}, at::kLong), 0, at::kQInt8);
  SavedModule file(
      MakeModule("M", "def forward(self, x: Tensor) -> Tensor:\n    return x\n",
                 {{"w", weight}}));
  // The sizes of the weight: no more elements than before.
  file.Replace("data.pkl", "(K\x04K\x03t", "(K\x03K\x04t");
  EXPECT_THAT(ErrorOf(file), HasSubstr("do not fit its channels"));
}

TEST(CheckModulePickleTest, RefusesConvolutionsThatDivideByZero) {
  // Of the packed parameters, which are int16: dimensions, and two each of
  // stride, padding, dilation and output padding; groups; flags.
  constexpr size_t kNumbers = 11;
  for (const size_t number : {0, 1, 2, 5, 6, 9}) {
    SavedModule file = SavedConv();
    const RecordPlace& record = file.Tensor(kNumbers * sizeof(int16_t));
    file.bytes().replace(record.offset + number * sizeof(int16_t), 2, 2, '\0');
    SetRecordSize(file.bytes(), record, record.size);
    EXPECT_THAT(ErrorOf(file), HasSubstr("convolution")) << number;
  }
  SavedModule file = SavedConv();
  SetRecordSize(file.bytes(), file.Tensor(kNumbers * sizeof(int16_t)), 0);
  EXPECT_THAT(ErrorOf(file), HasSubstr("0 bytes for 11 elements of 2"));
}

TEST(CheckModulePickleTest, RefusesEmptyWeightsOfQuantizedLayers) {
  SavedModule file = SavedQuantizedLinear();
  file.Replace("data.pkl", "(K\x06K\x05t", std::string("(K\x06K\0t", 6));
  EXPECT_THAT(ErrorOf(file), HasSubstr("weight of a quantized layer is empty"));
}

// Whatever a pickle says, it is checked or refused in one line.
TEST(CheckModulePickleTest, AnyPickleIsSafe) {
  const SavedModule good = SavedConv();
  const RecordPlace pickle = good.Record("data.pkl");
  std::mt19937 random(1);  // NOLINT: the same pickles in each run
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    SavedModule file = good;
    for (int change = 0; change < 2; ++change) {
      file.bytes()[pickle.offset + random() % pickle.size] =
          static_cast<char>(random());
    }
    SetRecordSize(file.bytes(), pickle, pickle.size - i % 2);
    const absl::Status status = StatusOf(file);
    refused += status.ok() ? 0 : 1;
    EXPECT_EQ(status.message().find('\n'), std::string::npos) << status;
  }
  EXPECT_GT(refused, 150);
}

}  // namespace
}  // namespace ns
