#include "ns/report/json/metric_name.h"

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/report/csv_report.h"
#include "ns/report/json/json_report.h"
#include "ns/result/comparison_result.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::Contains;

TEST(CheckMetricNameTest, TakesIdentifiers) {
  for (const char* name : {"psnr", "top_1", "_", "SSIM"}) {
    NS_EXPECT_OK(CheckMetricName(name));
  }
  for (const char* name : {"", "1st", "a b", "a,b", "a=b", "\"", "\x1b", "é"}) {
    EXPECT_FALSE(CheckMetricName(name).ok()) << name;
  }
}

// Whatever an activation, a stub and a row of CSV can have.
ComparisonResult Everything() {
  ActivationComparison figures;
  figures.batch_sqnr_db = figures.trip_sqnr_db = {1, 2};
  figures.elements = 2;
  figures.ranges.emplace();
  figures.non_finite = {1, 1, 1, 1};
  figures.codes.emplace();
  figures.worst_channels = {{0, 1}};
  figures.channel_sqnr_db = {1};
  figures.outliers.emplace();
  figures.histograms.emplace();
  ComparisonResult result;
  result.layers.emplace_back().activation = figures;
  result.stubs.emplace().emplace_back().figures = figures;
  result.emulated = "fbgemm-avx2";
  return result;
}

// The keys of `json` behind `start` that are indented by `indent` blanks.
std::vector<std::string> Fields(const std::string& json, size_t start,
                                size_t indent) {
  const std::regex field("\n" + std::string(indent, ' ') + "\"(\\w+)\":");
  std::vector<std::string> names;
  for (std::sregex_iterator it(json.begin() + start, json.end(), field), end;
       it != end; ++it) {
    names.push_back((*it)[1]);
  }
  return names;
}

TEST(CheckMetricNameTest, RefusesNamesOfFieldsAndColumns) {
  const std::string json = ToJson(Everything());
  const size_t stubs = json.find("\"stubs\"");
  std::vector<std::string> taken =
      Fields(json.substr(0, stubs), json.find("\"activation\""), 8);
  for (std::string& field : Fields(json, stubs, 6)) {
    taken.push_back(std::move(field));
  }
  const std::string csv = ToCsv(Everything());
  for (const absl::string_view column :
       absl::StrSplit(csv.substr(0, csv.find('\n')), ',')) {
    taken.emplace_back(column);
  }
  EXPECT_THAT(taken, AllOf(Contains("sqnr_db"), Contains("trips"),
                           Contains("float_type"), Contains("codes_unused"),
                           Contains("saturated_share")));
  for (const std::string& name : taken) {
    EXPECT_FALSE(CheckMetricName(name).ok()) << name;
  }
}

}  // namespace
}  // namespace ns
