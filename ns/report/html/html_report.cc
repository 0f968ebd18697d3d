#include "ns/report/html/html_report.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/base/status.h"
#include "ir/json/json_text.h"
#include "ir/json/json_value.h"
#include "ir/json/parse_json.h"
#include "ir/json/read_json.h"
#include "ir/json/split_list.h"
#include "ir/json/write_json.h"
#include "ns/report/graph/graph_layout.h"
#include "ns/report/html/html_table.h"
#include "ns/report/html/html_text.h"
#include "ns/report/html/result_sentences.h"
#include "ns/report/json/graph_map.h"
#include "ns/report/json/limits_map.h"
#include "ns/report/page/page_source.h"
#include "ns/report/table/accuracy_text.h"

namespace ns {
namespace {

using Json = llvm::json::Value;

constexpr absl::string_view kCompareSchema = "ns.compare/1";
constexpr absl::string_view kSchemas[] = {kCompareSchema, "ns.sensitivity/1",
                                          "ns.quantize/1", "ns.search/1"};

absl::Status CheckSchema(const Json& report) {
  const Json* schema = FindMember(report, "schema");
  if (schema == nullptr) {
    return absl::InvalidArgumentError(
        "has no \"schema\"; pass what ns compare --json writes");
  }
  const std::string name = TextMember(report, "schema");
  if (absl::c_linear_search(kSchemas, name)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "has the schema ", OneLine(name.empty() ? JsonText(*schema) : name, 60),
      ", and not ns.compare/1, ns.sensitivity/1, ns.quantize/1 or "
      "ns.search/1"));
}

std::string BaseName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string Paragraph(const std::string& text, bool is_first) {
  return absl::StrCat(is_first ? "<p class=\"verdict\">" : "<p>",
                      HtmlText(text), "</p>\n");
}

// One line of facts below the heading; nothing for an empty value.
std::string Fact(absl::string_view name, const std::string& value) {
  return value.empty() ? ""
                       : absl::StrCat("<div><dt>", name, "</dt><dd>",
                                      HtmlText(value), "</dd></div>\n");
}

// Whole numbers are counts, whose digits all matter; others are figures.
std::string NumberText(const Json& report, absl::string_view name) {
  constexpr double kMostExact = 1e15;
  const std::optional<double> number = NumberMember(report, name);
  if (!number) {
    return "";
  }
  const bool is_whole =
      std::abs(*number) <= kMostExact && std::trunc(*number) == *number;
  return is_whole ? absl::StrFormat("%.0f", *number)
                  : absl::StrFormat("%.4g", *number);
}

std::string HashOf(const Json& report, const std::string& path) {
  for (const Json& file : ArrayMember(report, "files")) {
    if (TextMember(file, "path") == path) {
      return absl::StrCat(" (sha256 ", TextMember(file, "sha256"), ")");
    }
  }
  return "";
}

std::string FileText(const Json& report, const std::string& path) {
  return path.empty() ? "" : path + HashOf(report, path);
}

// The inputs, those of the second data set apart.
std::string InputFacts(const Json& report) {
  std::vector<std::string> second;
  if (const Json* data = FindMember(report, "second_data")) {
    for (const Json& path : ArrayMember(*data, "inputs")) {
      second.push_back(TextOf(path).value_or(""));
    }
  }
  std::string facts;
  for (const Json& file : ArrayMember(report, "files")) {
    const std::string path = TextMember(file, "path");
    if (path != TextMember(report, "float") &&
        path != TextMember(report, "quantized")) {
      absl::StrAppend(
          &facts,
          Fact(absl::c_linear_search(second, path) ? "Second data" : "Inputs",
               FileText(report, path)));
    }
  }
  return facts;
}

std::string LimitFacts(const Json& report) {
  std::string facts;
  for (const Json& limit : ArrayMember(report, "limits")) {
    const Json* passed = FindMember(limit, "passed");
    const bool is_passed = passed != nullptr && passed->getAsBoolean() == true;
    const std::string layer = TextMember(limit, "layer");
    absl::StrAppend(
        &facts,
        Fact("Limit",
             absl::StrCat(is_passed ? "passed: " : "crossed: ",
                          TextMember(limit, "limit"),
                          layer.empty() ? "" : absl::StrCat(" of ", layer),
                          ", ", NumberText(limit, "value"), " (bound ",
                          NumberText(limit, "bound"), ")")));
  }
  return facts;
}

// Which samples were compared, and how well the models do their task.
std::string TaskFacts(const Json& report) {
  std::string facts;
  const std::string partial = TextMember(report, "partial");
  if (!partial.empty()) {
    absl::StrAppend(&facts, Fact("Partial", HtmlText(partial)));
  }
  ComparedSamples samples;
  const Json* compared = FindMember(report, "samples");
  if (compared != nullptr && ReadJson(*compared, samples).ok()) {
    absl::StrAppend(&facts, Fact("Samples", SamplesText(samples)));
  }
  ClassAgreement agreement;
  const Json* agreed = FindMember(report, "agreement");
  if (agreed != nullptr && ReadJson(*agreed, agreement).ok()) {
    absl::StrAppend(&facts,
                    Fact("Agreement of classes", AgreementText(agreement)));
  }
  for (const Json& member : ArrayMember(report, "scores")) {
    TaskScore score;
    if (ReadJson(member, score).ok()) {
      absl::StrAppend(&facts, Fact(HtmlText(absl::StrCat("Score ", score.name)),
                                   ScoreText(score)));
    }
  }
  return facts;
}

std::string Heading(const Json& report) {
  const std::string of_float = TextMember(report, "float");
  std::string other = TextMember(report, "quantized");
  if (other.empty()) {
    other = TextMember(report, "out");
  }
  return absl::StrCat(
      "<header id=\"heading\">\n<h1>", HtmlText(BaseName(of_float)),
      other.empty() ? "" : absl::StrCat(" → ", HtmlText(BaseName(other))),
      "</h1>\n<dl id=\"facts\">\n",
      Fact("Float model", FileText(report, of_float)),
      Fact("Quantized model", FileText(report, other)), InputFacts(report),
      Fact("Batches", NumberText(report, "batches")), TaskFacts(report),
      Fact("Matching", TextMember(report, "matching")),
      Fact("Engine", TextMember(report, "engine")),
      Fact("Processor", TextMember(report, "processor")),
      Fact("Emulated", TextMember(report, "emulated")), LimitFacts(report),
      "</dl>\n</header>\n");
}

// What helps according to `part` of the report, and the command that does it.
std::string CureBlock(const Json* part) {
  const Json* cure = part == nullptr ? nullptr : FindMember(*part, "cure");
  if (cure == nullptr) {
    return "";
  }
  const std::string command = TextMember(*cure, "command");
  return absl::StrCat(
      "<div class=\"cure\">What to do: ",
      HtmlText(TextMember(*cure, "sentence")),
      command.empty() ? "" : absl::StrCat("<pre>", HtmlText(command), "</pre>"),
      "</div>\n");
}

std::string VerdictSection(const Json& report) {
  std::string html =
      "<section id=\"verdict\" aria-label=\"Verdict\">\n<h2>Verdict</h2>\n";
  bool is_first = true;
  for (const std::string& sentence : ResultSentences(report)) {
    absl::StrAppend(&html, Paragraph(sentence, is_first));
    is_first = false;
  }
  return absl::StrCat(html, CureBlock(FindMember(report, "verdict")),
                      "</section>\n");
}

std::string Section(absl::string_view id, absl::string_view heading,
                    const std::string& content) {
  return content.empty()
             ? ""
             : absl::StrCat("<section id=\"", id, "\" aria-label=\"", heading,
                            "\">\n<h2>", heading, "</h2>\n", content,
                            "</section>\n");
}

// What a second data set costs, and what helps. With scripts, the page has more
// to say there.
std::string SecondDataSection(const Json& report) {
  const Json* shift = FindMember(report, "data_shift");
  return shift == nullptr ? ""
                          : Section("second-data", "Second data set",
                                    Paragraph(TextMember(*shift, "sentence"),
                                              /*is_first=*/false) +
                                        CureBlock(shift));
}

// Returns the layout as JSON; null without a graph that can be read.
std::string Layout(const Json& report) {
  const Json* graph = FindMember(report, "graph");
  DataFlowGraphs graphs;
  return graph != nullptr && ReadJson(*graph, graphs).ok()
             ? WriteJson(LayOut(graphs))
             : "null";
}

std::string Data(absl::string_view id, absl::string_view json) {
  return absl::StrCat("<script type=\"application/json\" id=\"", id, "\">",
                      JsonForScript(json), "</script>\n");
}

std::string Head(const Json& report) {
  std::string title = BaseName(TextMember(report, "quantized"));
  if (title.empty()) {
    title = BaseName(TextMember(report, "float"));
  }
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; script-src ",
      HashSource(PageScript()), "; style-src ", HashSource(PageStyle()),
      "; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
      HtmlText(title), ": numeric suite</title>\n<style>", PageStyle(),
      "</style>\n</head>\n");
}

// Puts the page together. `report` may lack its layers, of which there is a
// table. `more_data` are elements that only the page's script reads.
std::string Page(const Json& report, const std::string& layer_table,
                 absl::string_view json, const std::string& more_data) {
  return absl::StrCat(
      Head(report), "<body>\n<main id=\"page\">\n", Heading(report),
      VerdictSection(report), SecondDataSection(report),
      Section("layers", "Layers", layer_table),
      Section("unmatched", "Unmatched ops", UnmatchedTableHtml(report)),
      "</main>\n", Data("report", json), Data("layout", Layout(report)),
      more_data, "<script>", PageScript(), "</script>\n</body>\n</html>\n");
}

// Returns the page of a comparison, whose layers are never parsed together.
// Error: text that is not one, or not valid.
absl::StatusOr<std::string> PageOfComparison(
    absl::string_view json, const std::string& more_data = "") {
  const std::optional<SplitText> split = SplitList(json, "layers");
  if (!split) {
    return absl::InvalidArgumentError("has no layers");
  }
  NS_ASSIGN_OR_RETURN(Json report, ParseJson(split->rest));
  if (TextMember(report, "schema") != kCompareSchema) {
    return absl::InvalidArgumentError("is of another schema");
  }
  NS_ASSIGN_OR_RETURN(const std::string table,
                      LayerTableHtml(report, split->elements));
  // Sentences count them.
  (*report.getAsObject())["layers"] =
      llvm::json::Array(std::vector<std::nullptr_t>(split->elements.size()));
  return Page(report, table, json, more_data);
}

}  // namespace

absl::StatusOr<std::string> ToHtml(absl::string_view json) {
  absl::StatusOr<std::string> page = PageOfComparison(json);
  if (page.ok()) {
    return page;
  }
  NS_ASSIGN_OR_RETURN(const Json report, ParseJson(json));
  NS_RETURN_IF_ERROR(CheckSchema(report));
  return Page(report, LayerTableHtml(report), json, /*more_data=*/"");
}

absl::StatusOr<std::string> ToHtmlOfDiff(absl::string_view json,
                                         const EarlierComparison& earlier) {
  return PageOfComparison(
      json, absl::StrCat(Data("earlier", earlier.json),
                         "<data id=\"earlier-path\" value=\"",
                         HtmlText(earlier.path), "\" hidden></data>\n"));
}

}  // namespace ns
