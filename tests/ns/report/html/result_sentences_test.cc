#include "ns/report/html/result_sentences.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/json/parse_json.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> SentencesOf(absl::string_view json) {
  return ResultSentences(OrThrow(ParseJson(json)));
}

TEST(ResultSentencesTest, AComparisonHasItsVerdict) {
  EXPECT_THAT(SentencesOf(R"({"schema": "ns.compare/1", "layers": [{}, {}],
                  "verdict": {"sentences": ["a", 3, "b"]}})"),
              ElementsAre("a", "b"));
  EXPECT_THAT(SentencesOf(R"({"schema": "ns.compare/1", "layers": [{}, {}]})"),
              ElementsAre("2 layers."));
}

TEST(ResultSentencesTest, SensitivityNamesTheLayerWithTheLowestSqnr) {
  EXPECT_THAT(SentencesOf(R"({"schema": "ns.sensitivity/1", "layers": [
          {"name": "conv", "candidates": [{"name": "int8", "sqnr_db": 30.0}]},
          {"name": "fc", "candidates": [{"name": "int8", "sqnr_db": 20.0},
                                        {"name": "int4", "sqnr_db": 8.25}]}],
          "budget": {"sqnr_db": 25.0, "keep_in_float": ["fc"]}})"),
              ElementsAre("fc has the lowest SQNR: 8.2 dB as int4.",
                          "For 25.0 dB, 1 layer stays in float."));
}

TEST(ResultSentencesTest, QuantizeCountsLayersAndHasTheWorstOutput) {
  EXPECT_THAT(SentencesOf(R"({"schema": "ns.quantize/1", "layers": [{}],
                  "stayed_float": [{}, {}], "output_sqnr_db": [
                    {"name": "output", "sqnr_db": 29.75},
                    {"name": "output[1]", "sqnr_db": "inf"},
                    {"name": "output[2]", "sqnr_db": -2,
                     "integers": true}]})"),
              ElementsAre("1 layer quantized, 2 ops stayed in float.",
                          "The lowest SQNR of the outputs is 29.8 dB, of "
                          "output."));
}

TEST(ResultSentencesTest, SearchHasWhatWasMeasured) {
  EXPECT_THAT(SentencesOf(R"({"schema": "ns.search/1", "layers": [],
                  "measured": {"sqnr_db": 30.1, "time_us": 812.0,
                               "float_time_us": 2130.0}})"),
              ElementsAre("The recipe has 30.1 dB on the outputs.",
                          "A batch takes 0.812 ms, and 2.13 ms in float."));
  EXPECT_THAT(SentencesOf(R"({"schema": "ns.search/1", "layers": [7]})"),
              ElementsAre("1 layer."));
}

}  // namespace
}  // namespace ns
