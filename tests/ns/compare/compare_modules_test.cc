#include "ns/compare/compare_modules.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batch.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::StartsWith;

BatchReader Batches() {
  Batch batch;
  batch.arguments = {at::rand({2, 3})};
  return BatchReader::FromBatches({batch, batch});
}

// A linear layer as float module and as quantized one, saved.
ModelPairOptions SavedPair() {
  const at::Tensor weight = at::rand({3, 3});
  const std::vector<std::string> body = {
      "return self.fc.forward(torch.quantize_per_tensor(x, 0.05, 64, 13))"};
  ModelPairOptions pair;
  pair.float_path = TemporaryPath("float.pt");
  pair.quantized_path = TemporaryPath("quantized.pt");
  MakeModel({{"fc", Linear(weight)}}, {"return self.fc.forward(x)"})
      .save(pair.float_path);
  MakeModel({{"fc", QuantizedLinear(weight, false)}}, body)
      .save(pair.quantized_path);
  return pair;
}

TEST(CompareModulesTest, SetsWhatIsAskedFor) {
  ModuleOptions options;
  options.stubs = true;
  options.swap_list = {"Linear"};
  ComparisonResult stubs;
  NS_ASSERT_OK(CompareModules(options, SavedPair(), Batches(), nullptr, stubs));
  ASSERT_TRUE(stubs.stubs.has_value());
  EXPECT_EQ(stubs.stubs->front().name, "fc");
  EXPECT_FALSE(stubs.outputs.has_value());
  EXPECT_EQ(stubs.batches, 2);

  options = {};
  options.outputs = true;
  options.output_types = {"Linear"};
  ComparisonResult outputs;
  NS_ASSERT_OK(
      CompareModules(options, SavedPair(), Batches(), nullptr, outputs));
  EXPECT_FALSE(outputs.stubs.has_value());
  ASSERT_TRUE(outputs.outputs.has_value());
  EXPECT_EQ(outputs.outputs->front().name, "fc");
}

TEST(CompareModulesTest, KeepsTheBatchesOfLayersAndShowsEachPart) {
  ModuleOptions options;
  options.stubs = options.outputs = true;
  options.swap_list = {"Linear"};
  ComparisonResult result;
  result.batches = 7;
  int parts = 0;
  int64_t steps = 0;
  NS_ASSERT_OK(CompareModules(
      options, SavedPair(), Batches(),
      [&] {
        ++parts;
        return [&](int64_t, int64_t) { ++steps; };
      },
      result));
  EXPECT_EQ(result.batches, 7);
  EXPECT_EQ(parts, 2);
  EXPECT_EQ(steps, 4);
}

TEST(CompareModulesTest, WarningsThatWereGivenBeforeAreNotRepeated) {
  ModuleOptions options;
  options.outputs = true;
  ComparisonResult once;
  Batch batch;
  batch.arguments = {at::full({2, 3}, NAN)};
  const BatchReader nans = BatchReader::FromBatches({batch});
  NS_ASSERT_OK(CompareModules(options, SavedPair(), nans, nullptr, once));
  ASSERT_FALSE(once.warnings.empty());
  ComparisonResult twice;
  twice.warnings = once.warnings;
  NS_ASSERT_OK(CompareModules(options, SavedPair(), nans, nullptr, twice));
  EXPECT_EQ(twice.warnings, once.warnings);
}

TEST(CompareModulesTest, ErrorsNameTheFile) {
  ModelPairOptions pair = SavedPair();
  pair.float_path = "/nowhere/f.pt";
  ModuleOptions options;
  options.outputs = true;
  ComparisonResult result;
  const absl::Status status =
      CompareModules(options, pair, Batches(), nullptr, result);
  EXPECT_THAT(std::string(status.message()), StartsWith("/nowhere/f.pt: "));
}

}  // namespace
}  // namespace ns
