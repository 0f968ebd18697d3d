#include "ir/files/foreign_file.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/input_file.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::optional<ForeignFile> Recognize(absl::string_view bytes) {
  const std::string path = TemporaryPath("file");
  WriteFile(path, std::string(bytes));
  return RecognizeForeignFile(*OrThrow(InputFile::Open(path)));
}

std::string SavedModel() {
  const std::string path = TemporaryPath("model.pt");
  MakeModel({{"fc", Linear(at::ones({2, 2}))}}, {"return self.fc.forward(x)"})
      .save(path);
  return ReadFile(path);
}

TEST(RecognizeForeignFileTest, TorchScriptIsNotForeign) {
  EXPECT_FALSE(Recognize(SavedModel()));
}

TEST(RecognizeForeignFileTest, NeitherAreTextsAndUnknownBytes) {
  EXPECT_FALSE(Recognize("This is no model."));
  EXPECT_FALSE(Recognize("x"));
  EXPECT_FALSE(Recognize(absl::string_view("\0\0\0\0\0\0\0\0\0\0", 10)));
}

TEST(RecognizeForeignFileTest, TellsWhatAFileIsAndHowToMendIt) {
  const ForeignFile onnx = *Recognize("\x08\x07\x12\x07pytorch");
  EXPECT_EQ(onnx.what, "is an ONNX model, not TorchScript");
  EXPECT_THAT(onnx.mend_model, HasSubstr("torch.jit.save"));
  EXPECT_THAT(onnx.mend_inputs, IsEmpty());
  const ForeignFile image = *Recognize("\x89PNG\r\n");
  EXPECT_EQ(image.what, "is an image (PNG)");
  EXPECT_THAT(image.mend_inputs, HasSubstr("[N, C, H, W]"));
  const ForeignFile pointer = *Recognize("version https://git-lfs.github.com/");
  EXPECT_EQ(pointer.mend_model, pointer.mend_inputs);
}

// Whatever the bytes, texts fit on one line.
TEST(RecognizeForeignFileTest, IsSafeOnAnyBytes) {
  std::mt19937 random(1);
  const std::string good = SavedModel();
  int recognized = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::string bytes = good;
    if (trial % 4 == 0) {
      bytes.resize(1 + random() % bytes.size());
    }
    for (int flips = static_cast<int>(random() % 8); flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (trial % 4 == 1) {
      // Not TorchScript any more.
      for (size_t at = bytes.find("constants.pkl"); at != std::string::npos;
           at = bytes.find("constants.pkl", at)) {
        bytes[at] = 'k';
      }
    }
    const std::optional<ForeignFile> found = Recognize(bytes);
    if (found) {
      ++recognized;
      EXPECT_THAT(found->what, Not(HasSubstr("\n")));
      EXPECT_THAT(found->mend_model, Not(IsEmpty()));
    }
  }
  EXPECT_GT(recognized, 100);
}

}  // namespace
}  // namespace ns
