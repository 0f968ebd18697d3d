#include "ns/report/html/html_report.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/report/html/html_text.h"
#include "ns/report/json/json_report.h"
#include "ns/report/page/page_source.h"
#include "tests/ns/report/table_results.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Names of layers that try to be something else.
constexpr absl::string_view kHostileNames[] = {
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "a]]>b<!--",
    "\"quoted' \n line\x1b[31m",
    "\xe2\x80\xa8separated\xe2\x80\xa9",
    "&lt;b&gt;",
};

ComparisonResult HostileResult() {
  ComparisonResult result;
  result.float_path = "</title><script>alert(2)</script>.pt";
  result.quantized_path = "q\"uo'te<b>.pt";
  result.has_activations = true;
  result.has_shadows = true;
  result.graphs.emplace();
  for (const absl::string_view name : kHostileNames) {
    result.layers.push_back(Broken(name, 20, 12, 30));
    result.unmatched.push_back(
        {"float", std::string(name), "aten::dropout", std::string(name)});
    const DataFlowNode node = {std::string(name), std::string(name), "op",
                               std::string(name), ""};
    result.graphs->of_float.nodes.push_back(node);
    result.graphs->of_quantized.nodes.push_back(node);
  }
  return result;
}

// Returns `html` without the page's own script and style.
std::string WithoutPage(std::string html) {
  for (const absl::string_view own : {PageScript(), PageStyle()}) {
    const size_t at = html.find(std::string(own));
    EXPECT_NE(at, std::string::npos);
    html.erase(at, own.size());
  }
  return html;
}

size_t Count(absl::string_view text, absl::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != absl::string_view::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(HtmlReportTest, NamesAreTextWhereverTheyStand) {
  const std::string html =
      WithoutPage(OrThrow(ToHtml(ToJson(HostileResult()))));
  EXPECT_EQ(Count(html, "<script"), 3) << "two of data and one that runs";
  EXPECT_EQ(Count(html, "</script>"), 3);
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<img")), Not(HasSubstr("<!--")),
                          Not(HasSubstr("<b>")), Not(HasSubstr("</title><"))));
  EXPECT_THAT(html, HasSubstr("&lt;img src=x onerror=alert(1)&gt;"));
  EXPECT_THAT(html, HasSubstr("&amp;lt;b&amp;gt;"));
}

TEST(HtmlReportTest, AnEarlierComparisonIsData) {
  const std::string json = ToJson(HostileResult());
  const std::string html =
      WithoutPage(OrThrow(ToHtmlOfDiff(json, {"</data><script>a.json", json})));
  EXPECT_EQ(Count(html, "<script"), 4);
  EXPECT_EQ(Count(html, "</script>"), 4);
  EXPECT_THAT(html, HasSubstr("id=\"earlier\">"));
  EXPECT_THAT(html, HasSubstr("value=\"&lt;/data&gt;&lt;script&gt;a.json\""));
  EXPECT_FALSE(ToHtmlOfDiff("{}", {"a.json", json}).ok());
}

TEST(HtmlReportTest, ThePolicyAllowsItsOwnScriptAndStyleOnly) {
  const std::string html = OrThrow(ToHtml(ToJson(HostileResult())));
  EXPECT_THAT(
      html, HasSubstr(absl::StrCat("content=\"default-src 'none'; script-src ",
                                   HashSource(PageScript()), "; style-src ",
                                   HashSource(PageStyle()),
                                   "; base-uri 'none'; form-action 'none'\"")));
  EXPECT_EQ(Count(WithoutPage(html), " style="), 0);
}

TEST(HtmlReportTest, ThePageCannotEndItsElements) {
  EXPECT_FALSE(absl::StrContains(PageScript(), "</script"));
  EXPECT_FALSE(absl::StrContains(PageScript(), "<!--"));
  EXPECT_FALSE(absl::StrContains(PageStyle(), "</style"));
}

TEST(HtmlReportTest, HoldsTheJsonAndTheVerdict) {
  ComparisonResult result = WithShadows({Broken("fc", 20, 12, 30)});
  result.float_path = "models/float.pt";
  result.quantized_path = "quantized.pt";
  result.files = {{"models/float.pt", "0123"}, {"images.pt", "4567"}};
  const std::string json = ToJson(result);
  const std::string html = OrThrow(ToHtml(json));
  EXPECT_THAT(html, HasSubstr(absl::StrCat(
                        "<script type=\"application/json\" id=\"report\">",
                        JsonForScript(json), "</script>")));
  EXPECT_THAT(html, HasSubstr("<h1>float.pt → quantized.pt</h1>"));
  EXPECT_THAT(html, HasSubstr("<dd>models/float.pt (sha256 0123)</dd>"));
  EXPECT_THAT(html, HasSubstr("<dt>Inputs</dt><dd>images.pt (sha256 4567)"));
  EXPECT_THAT(html, HasSubstr("<p class=\"verdict\">fc is to blame"));
  EXPECT_THAT(html, HasSubstr("<div class=\"cure\">What to do: "));
  EXPECT_THAT(html, HasSubstr("<pre>ns repro --float=models/float.pt "));
  EXPECT_THAT(html, HasSubstr("id=\"layout\">null</script>"));
}

TEST(HtmlReportTest, WholeNumbersAreWrittenInFull) {
  const std::string html = OrThrow(
      ToHtml("{\"schema\": \"ns.compare/1\", \"batches\": 12345, "
             "\"limits\": [{\"limit\": \"max-unmatched\", \"passed\": false, "
             "\"value\": 23456, \"bound\": 10000}, {\"limit\": \"fail-below\", "
             "\"passed\": true, \"value\": 20.123456, \"bound\": \"-inf\"}]}"));
  EXPECT_THAT(html, HasSubstr("<dt>Batches</dt><dd>12345</dd>"));
  EXPECT_THAT(html,
              HasSubstr("crossed: max-unmatched, 23456 (bound 10000)</dd>"));
  EXPECT_THAT(html, HasSubstr("passed: fail-below, 20.12 (bound -inf)</dd>"));
}

TEST(HtmlReportTest, HasALayoutWhereThereIsAGraph) {
  EXPECT_THAT(OrThrow(ToHtml(ToJson(HostileResult()))),
              HasSubstr("id=\"layout\">{\"sizes\":{\"node_width\":"));
}

TEST(HtmlReportTest, EqualJsonGivesEqualBytes) {
  const std::string json = ToJson(HostileResult());
  EXPECT_EQ(OrThrow(ToHtml(json)), OrThrow(ToHtml(json)));
}

TEST(HtmlReportTest, OtherCommandsHavePages) {
  for (const char* schema : {"sensitivity", "quantize", "search"}) {
    EXPECT_THAT(
        OrThrow(ToHtml(absl::StrCat("{\"schema\": \"ns.", schema,
                                    "/1\", \"float\": \"f.pt\", "
                                    "\"layers\": [{\"name\": \"fc\"}]}"))),
        AllOf(HasSubstr("<th scope=\"row\">fc</th>"),
              HasSubstr("<p class=\"verdict\">1 layer")));
  }
}

TEST(HtmlReportTest, WhatIsNoReportIsAnError) {
  const auto error = [](absl::string_view json) {
    return std::string(ToHtml(json).status().message());
  };
  EXPECT_THAT(error("{\"schema\": \"ns.compare/1\", \"la"),
              HasSubstr("line 1"));
  EXPECT_THAT(error("{\"schema\": \"ns.compare/1\",\n\"layers\": [{}, {]}"),
              HasSubstr("line 2"));
  EXPECT_THAT(error("hello"), HasSubstr("line 1"));
  EXPECT_THAT(error("[]"), HasSubstr("has no \"schema\""));
  EXPECT_THAT(error("{\"schema\": \"ns.compare/2\"}"),
              AllOf(HasSubstr("ns.compare/2"), HasSubstr("ns.compare/1")));
  EXPECT_THAT(error("{\"schema\": [1]}"), HasSubstr("has the schema [1]"));
}

TEST(HtmlReportTest, MembersOfWrongTypesDoNoHarm) {
  EXPECT_TRUE(ToHtml(R"({"schema": "ns.compare/1", "float": 1, "layers": {},
      "verdict": [], "files": [1], "limits": [2], "unmatched": [null],
      "graph": {"float": {"nodes": [1], "edges": [[0, 0], [0], "x", [-1, 2]]},
                "quantized": 7}})")
                  .ok());
}

}  // namespace
}  // namespace ns
