#include "ns/compare/load_pair.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/engine_error.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::StartsWith;

ModelPairOptions SavedPair() {
  ModelPairOptions pair;
  pair.float_path = TemporaryPath("float.pt");
  pair.quantized_path = TemporaryPath("quantized.pt");
  NS_EXPECT_OK(FloatModel({"return torch.relu(x)"}).Save(pair.float_path));
  NS_EXPECT_OK(FloatModel({"return torch.tanh(x)"}).Save(pair.quantized_path));
  return pair;
}

TEST(LoadPairTest, GivesEachModelToItsSide) {
  int calls = 0;
  NS_EXPECT_OK(WithModels(SavedPair(), [&](ModelPair& models) {
    ++calls;
    EXPECT_NE(models.float_model.graph().toString().find("aten::relu"),
              std::string::npos);
    EXPECT_NE(models.quantized_model.graph().toString().find("aten::tanh"),
              std::string::npos);
    return absl::OkStatus();
  }));
  EXPECT_EQ(calls, 1);
}

TEST(LoadPairTest, LoadsAnewForEachEngine) {
  int calls = 0;
  const absl::Status status =
      WithModels(SavedPair(), [&](ModelPair& models) -> absl::Status {
        // The graphs are as they were loaded, whatever was done before.
        EXPECT_EQ(models.float_model.graph().outputs().size(), 1U);
        models.float_model.graph().eraseOutput(0);
        return EngineError(++calls == 1 ? "first" : "later");
      });
  EXPECT_EQ(status, EngineError("first"));
  EXPECT_GT(calls, 1);
}

TEST(LoadPairTest, ErrorsNameTheFile) {
  ModelPairOptions pair = SavedPair();
  pair.quantized_path = "/nowhere/q.pt";
  const absl::Status status =
      WithModels(pair, [](ModelPair&) { return absl::OkStatus(); });
  EXPECT_THAT(std::string(status.message()), StartsWith("/nowhere/q.pt: "));
}

}  // namespace
}  // namespace ns
