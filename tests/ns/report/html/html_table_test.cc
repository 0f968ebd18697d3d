#include "ns/report/html/html_table.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/json/parse_json.h"
#include "ir/json/split_list.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The table, which is the same where layers are parsed one by one.
std::string LayerTable(absl::string_view json) {
  const std::string table = LayerTableHtml(OrThrow(ParseJson(json)));
  if (const auto split = SplitList(json, "layers")) {
    EXPECT_EQ(OrThrow(LayerTableHtml(OrThrow(ParseJson(split->rest)),
                                     split->elements)),
              table);
  }
  return table;
}

TEST(HtmlTableTest, AComparisonHasARowForEachLayer) {
  EXPECT_EQ(LayerTable(R"({"schema": "ns.compare/1", "layers": [
      {"name": "fc", "float": {"op": "aten::linear"},
       "quantized": {"op": "quantized::linear"},
       "weight": [{"sqnr_db": 40.04}, {"sqnr_db": 9.5}],
       "activation": {"sqnr_db": "inf"}, "shadow": {"sqnr_db": 15.0}}]})"),
            R"(<table id="layer-table">
<thead><tr><th scope="col">layer</th><th scope="col">float op</th><th scope="col">quantized op</th><th scope="col" class="number">weight SQNR (dB)</th><th scope="col" class="number">activation SQNR (dB)</th><th scope="col" class="number">shadow SQNR (dB)</th></tr></thead>
<tbody>
<tr><th scope="row">fc</th><td>linear</td><td>linear</td><td class="number low">9.5</td><td class="number">exact</td><td class="number middling">15.0</td></tr>
</tbody>
</table>
)");
}

TEST(HtmlTableTest, ALayerThatIsNoJsonIsAnError) {
  EXPECT_FALSE(
      LayerTableHtml(OrThrow(ParseJson("{}")), {"{}", "{\"name\"}"}).ok());
}

TEST(HtmlTableTest, NamesStayText) {
  EXPECT_THAT(LayerTable(R"({"schema": "ns.compare/1", "layers": [
          {"name": "<script>alert(1)</script>", "float": {"op": "a::\"><b>"}}]})"),
              AllOf(HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"),
                    Not(HasSubstr("<script")), Not(HasSubstr("<b>"))));
}

TEST(HtmlTableTest, SensitivityHasAColumnForEachCandidate) {
  EXPECT_THAT(
      LayerTable(
          R"({"schema": "ns.sensitivity/1", "candidates": ["int8", "int4"],
          "layers": [{"name": "fc", "op": "aten::linear", "candidates":
            [{"name": "int4", "sqnr_db": 12.5}], "use": "float"}]})"),
      AllOf(HasSubstr("int4 (dB)"), HasSubstr("12.5"), HasSubstr("float"),
            Not(HasSubstr("int8 (dB)"))));
}

TEST(HtmlTableTest, SearchHasChoices) {
  EXPECT_THAT(LayerTable(R"({"schema": "ns.search/1", "layers": [{"name": "fc",
          "op": "aten::linear", "choice": "int8", "noise_share": 0.25,
          "time_us": 12.0}]})"),
              AllOf(HasSubstr("int8"), HasSubstr("0.25"), HasSubstr("12")));
}

TEST(HtmlTableTest, WhatIsNoLayerIsEmpty) {
  EXPECT_THAT(LayerTable(R"({"schema": "ns.compare/1", "layers": [7, null]})"),
              HasSubstr("<tr><th scope=\"row\"></th></tr>"));
  EXPECT_THAT(LayerTable(R"({"schema": "ns.compare/1", "layers": 3})"),
              Not(HasSubstr("<td")));
}

TEST(HtmlTableTest, UnmatchedOpsHaveTheirReasons) {
  EXPECT_THAT(UnmatchedTableHtml(OrThrow(ParseJson(R"({"unmatched": [
          {"model": "float", "fqn": "drop", "op": "aten::dropout",
           "reason": "a & b"}]})"))),
              AllOf(HasSubstr("<th scope=\"row\">float</th>"),
                    HasSubstr("drop"), HasSubstr("a &amp; b")));
  EXPECT_THAT(UnmatchedTableHtml(OrThrow(ParseJson("{}"))), IsEmpty());
}

}  // namespace
}  // namespace ns
