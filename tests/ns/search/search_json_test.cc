#include "ns/search/search_json.h"

#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SearchResult Result() {
  SearchResult result;
  result.budget_db = 30;
  result.candidates = {"default"};
  result.layers = {{"fc", "aten::linear", "float", 0.25, 5, {{"float", 5.0}}}};
  result.rest = {0.75, 3.5};
  result.skipped = {{"add", "dynamic", "no kernel"}};
  result.pareto = {{30.25, 7, 1, /*is_measured=*/true, /*is_chosen=*/true},
                   {std::numeric_limits<double>::infinity(), 9, 0}};
  VerifiedRecipe verified;
  verified.choices = {0};
  verified.predicted_db = 30.5;
  verified.measured_db = 30.25;
  verified.keeps_budget = true;
  result.verified = {verified};
  return result;
}

TEST(SearchJsonTest, HasWhatWasPredictedAndMeasured) {
  const std::string json = SearchJson(Result(), "f.pt", "q.pt");
  for (const char* part :
       {"\"schema\": \"ns.search/1\"", "\"float\": \"f.pt\"",
        "\"out\": \"q.pt\"", "\"sqnr_db\": 30.0", "\"sqnr_db\": 30.5",
        "\"sqnr_db\": 30.25", "\"sqnr_db\": \"inf\"", "\"noise_share\": 0.25",
        "\"rest\": {\n    \"noise_share\": 0.75,\n    \"time_us\": 3.5\n  }",
        "\"int8_layers\": 1,\n      \"measured\": true,\n      \"chosen\": "
        "true\n",
        "\"int8_layers\": 0,\n      \"measured\": false",
        "\"reason\": \"no kernel\"", "\"keeps_budget\": true"}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
  EXPECT_THAT(json, Not(HasSubstr("top1")));
}

TEST(SearchJsonTest, LabelsHaveTop1) {
  SearchResult result = Result();
  result.budget_db.reset();
  result.max_drop = 0.5;
  result.verified[0].top1 = PairedCounts{200, 180, 179, 2, 1};
  result.verified[0].p_value = 0.75;
  const std::string json = SearchJson(result, "f.pt", "");
  for (const char* part : {"\"max_drop\": 0.5", "\"samples\": 200",
                           "\"drop\": 0.5", "\"p_value\": 0.75"}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
}

}  // namespace
}  // namespace ns
