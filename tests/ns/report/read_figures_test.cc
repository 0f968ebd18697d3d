#include "ns/report/read_figures.h"

#include <cmath>
#include <string>

#include "gtest/gtest.h"
#include "ir/parse_json.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr char kFigures[] =
    "\"sqnr_db\": \"inf\", \"normalized_l2\": 0.5, \"cosine\": 1.0, "
    "\"max_abs_error\": 2, \"mean_error\": -1.0, \"bias_share\": 0.25";

TEST(ReadFiguresTest, ReadsAllErrorFigures) {
  const nlohmann::json json =
      OrThrow(ParseJson(std::string("{") + kFigures + "}"));
  absl::Status status;
  const ErrorFigures error = ReadFigures(JsonCursor(json, status));
  NS_EXPECT_OK(status);
  EXPECT_EQ(error.sqnr_db, HUGE_VAL);
  EXPECT_EQ(error.normalized_l2, 0.5);
  EXPECT_EQ(error.max_abs_error, 2);
  EXPECT_EQ(error.bias_share, 0.25);
}

TEST(ReadFiguresTest, OtherFloatsAreMetricsOfTheUser) {
  const nlohmann::json json = OrThrow(ParseJson(
      std::string("{\"shape\": [1], \"batch_sqnr_db\": [], \"elements\": 3, "
                  "\"samples\": 7, \"mae\": 0.5, \"name\": \"nan\", "
                  "\"abs_error_p999\": 1.0, \"outlier_share\": 0.1, ") +
      kFigures + "}"));
  absl::Status status;
  const ActivationComparison activation =
      ReadActivation(JsonCursor(json, status));
  NS_EXPECT_OK(status);
  ASSERT_EQ(activation.user_figures.size(), 1U);
  EXPECT_EQ(activation.user_figures[0].metric, "mae");
  EXPECT_EQ(activation.outliers->share, 0.1);
  EXPECT_EQ(activation.non_finite->float_nan, 0);
}

TEST(ReadFiguresTest, MetricsThatAnEarlierVersionLackedAreNan) {
  const nlohmann::json json = OrThrow(ParseJson("{\"sqnr_db\": 1.0}"));
  absl::Status status;
  const ErrorFigures error = ReadFigures(JsonCursor(json, status));
  NS_EXPECT_OK(status);
  EXPECT_EQ(error.sqnr_db, 1);
  EXPECT_TRUE(std::isnan(error.bias_share));
}

TEST(ReadFiguresTest, WithoutAnSqnrThereIsAnError) {
  const nlohmann::json json = OrThrow(ParseJson("{\"cosine\": 1.0}"));
  absl::Status status;
  ReadFigures(JsonCursor(json, status));
  EXPECT_EQ(status.message(), "has no \"sqnr_db\"");
}

}  // namespace
}  // namespace ns
