#include "ns/compare/state_dict_files.h"

#include <ATen/Functions.h>
#include <ATen/core/Dict.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/write_torch_save.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Saves a state dict that holds `weight` as `key`.
std::string Saved(const std::string& name, const std::string& key,
                  const at::Tensor& weight) {
  c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
  dict.insert(key, weight);
  const std::string path = TemporaryPath(name);
  EXPECT_GT(OrThrow(WriteTorchSave(path, dict)), 0);
  return path;
}

ModelPairOptions Pair(const std::string& key) {
  const at::Tensor weight = at::rand({4, 3});
  ModelPairOptions pair;
  pair.float_path = Saved("float.pt", "fc.weight", weight);
  pair.quantized_path =
      Saved("quantized.pt", key,
            at::quantize_per_tensor(weight, 0.01, 0, at::kQInt8));
  return pair;
}

TEST(StateDictFilesTest, BothFilesMustHoldOne) {
  ModelPairOptions pair = Pair("fc.weight");
  EXPECT_TRUE(AreStateDicts(pair));
  pair.quantized_path = "/nowhere/q.pt";
  EXPECT_FALSE(AreStateDicts(pair));
  pair.quantized_path = TemporaryPath("model.pt");
  NS_EXPECT_OK(FloatModel({"return torch.relu(x)"}).Save(pair.quantized_path));
  EXPECT_FALSE(AreStateDicts(pair));
}

TEST(StateDictFilesTest, WeightsAreComparedByKey) {
  const ComparisonResult result =
      OrThrow(CompareStateDictFiles(Pair("fc.weight"), /*histograms=*/true));
  EXPECT_EQ(result.matching, "keys");
  ASSERT_THAT(result.layers, SizeIs(1));
  ASSERT_THAT(result.layers[0].weights, SizeIs(1));
  EXPECT_GT(result.layers[0].weights[0].error.sqnr_db, 30);
  EXPECT_TRUE(result.layers[0].weights[0].histograms.has_value());
}

TEST(StateDictFilesTest, ErrorsNameTheFileOrBoth) {
  ModelPairOptions pair = Pair("other.weight");
  EXPECT_THAT(
      MessageOf(CompareStateDictFiles(pair, false)),
      StartsWith(absl::StrCat(pair.float_path, " and ", pair.quantized_path)));
  pair.quantized_path = "/nowhere/q.pt";
  EXPECT_THAT(MessageOf(CompareStateDictFiles(pair, false)),
              HasSubstr("/nowhere/q.pt: "));
}

}  // namespace
}  // namespace ns
