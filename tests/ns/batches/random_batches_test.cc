#include "ns/batches/random_batches.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(RandomBatchesTest, AreAskedForByAPrefix) {
  EXPECT_TRUE(IsRandom("random:1,3"));
  EXPECT_FALSE(IsRandom("random"));
  EXPECT_FALSE(IsRandom("inputs.pt"));
}

TEST(RandomBatchesTest, HaveTheShapesAndTypesOfTheSpec) {
  const RandomBatches batches = OrThrow(
      RandomBatches::Parse("random:2,3+4:int64:9+5,6:uint8+7:bool+8:float64"));
  const Batch batch = OrThrow(batches.Make(0));
  ASSERT_THAT(batch.arguments, SizeIs(5));
  const auto at = [&](size_t i) { return batch.arguments[i].toTensor(); };
  EXPECT_EQ(at(0).sizes(), at::IntArrayRef({2, 3}));
  EXPECT_EQ(at(0).scalar_type(), at::kFloat);
  EXPECT_EQ(at(1).scalar_type(), at::kLong);
  EXPECT_EQ(at(2).scalar_type(), at::kByte);
  EXPECT_EQ(at(2).sizes(), at::IntArrayRef({5, 6}));
  EXPECT_EQ(at(3).scalar_type(), at::kBool);
  EXPECT_EQ(at(4).scalar_type(), at::kDouble);
  EXPECT_EQ(batch.source,
            "random:2,3+4:int64:9+5,6:uint8+7:bool+8:float64"
            ": batch 0");
}

TEST(RandomBatchesTest, IntegersStayBelowTheLimitAndReachIt) {
  const RandomBatches batches =
      OrThrow(RandomBatches::Parse("random:1000:int64:9+1000:int32"));
  const Batch batch = OrThrow(batches.Make(3));
  EXPECT_EQ(batch.arguments[0].toTensor().min().item<int64_t>(), 0);
  EXPECT_EQ(batch.arguments[0].toTensor().max().item<int64_t>(), 8);
  EXPECT_EQ(batch.arguments[1].toTensor().max().item<int64_t>(), 1);
}

TEST(RandomBatchesTest, FloatsAreNormal) {
  const RandomBatches batches = OrThrow(RandomBatches::Parse("random:100,100"));
  const at::Tensor x = OrThrow(batches.Make(0)).arguments[0].toTensor();
  EXPECT_LT(std::abs(x.mean().item<float>()), 0.05);
  EXPECT_LT(std::abs(x.std().item<float>() - 1), 0.05);
}

TEST(RandomBatchesTest, DifferFromBatchToBatchAndNotFromCallToCall) {
  const RandomBatches batches = OrThrow(RandomBatches::Parse("random:10"));
  const auto at = [&](int64_t i) {
    return OrThrow(batches.Make(i)).arguments[0].toTensor();
  };
  EXPECT_TRUE(at(1).equal(at(1)));
  EXPECT_FALSE(at(1).equal(at(2)));
}

TEST(RandomBatchesTest, ErrorsNameTheSpecAndItsPart) {
  const std::string message = MessageOf(RandomBatches::Parse("random:1,-3"));
  EXPECT_THAT(message, StartsWith("random:1,-3: '-3' is no size; as in "));
  EXPECT_THAT(MessageOf(RandomBatches::Parse("random:1:int9")),
              HasSubstr("'int9' is not one of float32, "));
  EXPECT_THAT(MessageOf(RandomBatches::Parse("random:1:bool:2")),
              HasSubstr("'2' is no limit of bool"));
}

}  // namespace
}  // namespace ns
