#include "ns/compare/second_data.h"

#include <ATen/Functions.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batch.h"
#include "ns/quantization/quantize.h"
#include "ns/report/json/json_report.h"
#include "ns/suite/compare_models.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::StartsWith;

BatchReader Batches(int64_t count, const at::Tensor& values) {
  std::vector<Batch> batches(static_cast<size_t>(count));
  for (Batch& batch : batches) {
    batch.arguments = {values};
  }
  return BatchReader::FromBatches(batches);
}

class SecondDataTest : public testing::Test {
 protected:
  SecondDataTest() : models_(MakeModels()) { options_.shadows = true; }

  // Two linear layers, and what Quantize makes of them.
  static ModelPair MakeModels() {
    at::manual_seed(3);
    const ModelGraph model =
        FloatModel({absl::StrCat("y = torch.relu(", LinearOf("x"), ")"),
                    absl::StrCat("return ", LinearOf("y"))});
    QuantizeResult made =
        OrThrow(Quantize(model, Batches(4, at::randn({4, 3})), {}));
    return {OrThrow(model.Clone()), std::move(made.quantized)};
  }

  ComparisonResult Compare(const BatchReader& batches) const {
    return OrThrow(CompareModels(models_.float_model, models_.quantized_model,
                                 batches, options_));
  }

  const ModelPair models_;
  CompareOptions options_;
  const BatchReader first_ = Batches(3, at::randn({4, 3}));
};

TEST_F(SecondDataTest, FiguresAreThoseOfARunOfItsOwn) {
  const BatchReader second = Batches(2, 3 * at::randn({4, 3}));
  const ComparisonResult alone = Compare(second);
  const ComparisonResult first = Compare(first_);
  ComparisonResult both = Compare(first_);
  NS_ASSERT_OK(
      CompareOnSecondData(models_, {&second, {"b.pt"}}, options_, both));

  ASSERT_TRUE(both.second_data.has_value());
  EXPECT_EQ(both.second_data->batches, 2);
  EXPECT_THAT(both.second_data->input_paths, ElementsAre("b.pt"));
  ASSERT_THAT(both.second_data->model_outputs, SizeIs(1));
  EXPECT_EQ(both.second_data->model_outputs[0].figures.error.sqnr_db,
            alone.model_outputs[0].figures.error.sqnr_db);
  ASSERT_EQ(both.layers.size(), alone.layers.size());
  for (size_t i = 0; i < both.layers.size(); ++i) {
    ASSERT_TRUE(both.layers[i].second_data.has_value());
    EXPECT_EQ(both.layers[i].second_data->error.sqnr_db,
              alone.layers[i].activation->error.sqnr_db);
    both.layers[i].second_data.reset();
  }
  // All else is that of the first.
  both.second_data.reset();
  EXPECT_EQ(ToJson(both), ToJson(first));
}

TEST_F(SecondDataTest, ItsErrorsNameIt) {
  const BatchReader second = Batches(1, at::randn({4, 5}));
  ComparisonResult result = Compare(first_);
  EXPECT_THAT(
      CompareOnSecondData(models_, {&second, {}}, options_, result).message(),
      StartsWith("on the second data set: "));
}

TEST_F(SecondDataTest, WarningsOfItsOwnNameIt) {
  const BatchReader second = Batches(1, at::full({4, 3}, NAN));
  ComparisonResult result = Compare(first_);
  NS_ASSERT_OK(CompareOnSecondData(models_, {&second, {}}, options_, result));
  EXPECT_THAT(result.warnings,
              Contains(StartsWith("on the second data set: inputs hold NaN")));
}

}  // namespace
}  // namespace ns
