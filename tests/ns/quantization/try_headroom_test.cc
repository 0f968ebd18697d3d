#include "ns/quantization/try_headroom.h"

#include <ATen/Functions.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/quantized_engine.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

class TryHeadroomTest : public ::testing::Test {
 protected:
  TryHeadroomTest() { options_.methods.choose_headroom = true; }

  // What is found for batches of one tensor, as large as `sizes` say.
  std::optional<HeadroomTrial> TrialOf(const std::vector<double>& sizes) {
    std::vector<at::Tensor> batches;
    for (const double size : sizes) {
      batches.push_back(at::linspace(-size, size, 4096).reshape({1, 4096}));
    }
    return TrialOf(BatchesOf(batches));
  }

  std::optional<HeadroomTrial> TrialOf(std::vector<Batch> batches) {
    const ScopedEngine engine(EngineOf(options_.backend));
    return OrThrow(TryHeadroom(
        model_, BatchReader::FromBatches(std::move(batches)), options_));
  }

  QuantizeOptions options_;
  const ModelGraph model_ =
      FloatModel({"return torch.add(x, torch.neg(x) * 0.5)"});
};

TEST_F(TryHeadroomTest, TriesWhatTheLargestBatchIsAboveTheSecond) {
  const auto trial = TrialOf({1, 1.5, 0.9, 1.2});
  ASSERT_TRUE(trial);
  EXPECT_EQ(trial->batch, 1);
  EXPECT_NEAR(trial->factor, 1.25, 0.011);
  // The others clip it.
  EXPECT_GT(trial->with_db, trial->without_db + 3);
  EXPECT_TRUE(trial->IsKept());
}

TEST_F(TryHeadroomTest, BatchesThatGrowWillGrowTwice) {
  const auto trial = TrialOf({1, 1.1, 1.32});
  ASSERT_TRUE(trial);
  EXPECT_EQ(trial->batch, 2);
  EXPECT_NEAR(trial->factor, 1.44, 0.011);
  EXPECT_EQ(TrialOf({1, 2, 5})->factor, 2);
}

TEST_F(TryHeadroomTest, TriesNothingWhereItCannotKnow) {
  EXPECT_FALSE(TrialOf({1, 2}));
  EXPECT_FALSE(TrialOf({1, 1.09, 1}));
  EXPECT_FALSE(TrialOf({0, 0, 0}));
  EXPECT_FALSE(TrialOf({1, 0, 0}));
  EXPECT_FALSE(TrialOf({1, std::numeric_limits<double>::infinity(), 1}));
  std::vector<double> many(17, 1);
  many[3] = 2;
  EXPECT_FALSE(TrialOf(many));
  many.pop_back();
  EXPECT_TRUE(TrialOf(many));
  EXPECT_FALSE(TrialOf(
      BatchesOf({at::ones({1, 16}, at::kLong), at::full({1, 16}, 9, at::kLong),
                 at::ones({1, 16}, at::kLong)})));
}

// The size of 100 normal values has a standard deviation of 7 percent, that of
// their fifth powers a much larger one.
TEST_F(TryHeadroomTest, TriesNothingForWhatChanceDoes) {
  at::manual_seed(1);
  for (const double power : {1, 5}) {
    std::vector<at::Tensor> batches;
    for (const double size : {1.0, 1.2, 1.0}) {
      batches.push_back(at::randn({1, 100}).pow(power) * size);
    }
    EXPECT_FALSE(TrialOf(BatchesOf(batches))) << power;
  }
}

TEST_F(TryHeadroomTest, TriesNothingUnlessAsked) {
  options_.methods.choose_headroom = false;
  EXPECT_FALSE(TrialOf({1, 2, 1}));
  options_.methods.choose_headroom = true;
  options_.mode = QuantizeMode::kDynamic;
  EXPECT_FALSE(TrialOf({1, 2, 1}));
  options_.mode = QuantizeMode::kStatic;
  options_.compat = true;
  EXPECT_FALSE(TrialOf({1, 2, 1}));
}

TEST(HeadroomTrialTest, IsKeptUnlessItCostsHalfOfItsSteps) {
  // 20 log10(2) is 6 dB.
  EXPECT_TRUE((HeadroomTrial{0, 2, 30, 27.1}).IsKept());
  EXPECT_FALSE((HeadroomTrial{0, 2, 30, 26.9}).IsKept());
  EXPECT_TRUE((HeadroomTrial{0, 1.1, 30, 30}).IsKept());
}

}  // namespace
}  // namespace ns
