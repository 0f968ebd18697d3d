#include "ns/report/html/html_table.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/json/json_value.h"
#include "ir/json/parse_json.h"
#include "ns/findings/figure_text.h"
#include "ns/findings/table_figures.h"
#include "ns/report/html/html_text.h"
#include "ns/report/html/lowest_sqnr.h"
#include "ns/result/figure_kinds.h"

namespace ns {
namespace {

using Json = llvm::json::Value;

struct HtmlCell {
  std::string text;
  absl::string_view classes;  // empty for text
};

struct HtmlColumn {
  std::string heading;
  bool is_number = false;
  std::function<HtmlCell(const Json& row)> cell;
};

HtmlCell Text(const std::string& text) { return {text, ""}; }

HtmlCell Decibels(std::optional<double> db) {
  if (!db.has_value()) {
    return {"", "number"};
  }
  return {FormatDb(db), IsLowerDb(*db, 10)   ? "number low"
                        : IsLowerDb(*db, 20) ? "number middling"
                                             : "number"};
}

HtmlCell Number(std::optional<double> value) {
  return {value ? FormatFigure(*value) : "", "number"};
}

HtmlColumn TextColumn(const std::string& heading, const std::string& member) {
  return {heading, false,
          [=](const Json& row) { return Text(TextMember(row, member)); }};
}

HtmlColumn NumberColumn(const std::string& heading, const std::string& member) {
  return {heading, true,
          [=](const Json& row) { return Number(NumberMember(row, member)); }};
}

std::string OpText(const Json& row, absl::string_view side) {
  const Json* member = FindMember(row, side);
  return member == nullptr ? ""
                           : std::string(ShortOp(TextMember(*member, "op")));
}

std::optional<double> LowestWeight(const Json& layer) {
  const std::optional<NamedDb> lowest =
      LowestSqnr(ArrayMember(layer, "weight"));
  return lowest ? std::make_optional(lowest->db) : std::nullopt;
}

HtmlColumn FigureColumn(const FigureKind& kind) {
  return {absl::StrCat(kind.header, " SQNR (dB)"), true,
          [key = kind.key](const Json& row) {
            const Json* figures = FindMember(row, key);
            return Decibels(figures == nullptr
                                ? std::nullopt
                                : NumberMember(*figures, "sqnr_db"));
          }};
}

std::vector<HtmlColumn> CompareColumns() {
  std::vector<HtmlColumn> columns = {
      TextColumn("layer", "name"),
      {"float op", false,
       [](const Json& row) { return Text(OpText(row, "float")); }},
      {"quantized op", false,
       [](const Json& row) { return Text(OpText(row, "quantized")); }},
      {"weight SQNR (dB)", true,
       [](const Json& row) { return Decibels(LowestWeight(row)); }}};
  for (const FigureKind& kind : FigureKinds()) {
    columns.push_back(FigureColumn(kind));
  }
  return columns;
}

// The figure of one candidate of ns sensitivity.
HtmlColumn CandidateColumn(const std::string& name) {
  return {absl::StrCat(name, " (dB)"), true, [=](const Json& row) {
            for (const Json& candidate : ArrayMember(row, "candidates")) {
              if (TextMember(candidate, "name") == name) {
                return Decibels(NumberMember(candidate, "sqnr_db"));
              }
            }
            return Decibels(std::nullopt);
          }};
}

std::vector<HtmlColumn> SensitivityColumns(const Json& report) {
  std::vector<HtmlColumn> columns = {TextColumn("layer", "name"),
                                     TextColumn("op", "op")};
  for (const Json& candidate : ArrayMember(report, "candidates")) {
    if (const std::optional<std::string> name = TextOf(candidate)) {
      columns.push_back(CandidateColumn(*name));
    }
  }
  columns.push_back(TextColumn("use", "use"));
  return columns;
}

std::vector<HtmlColumn> ColumnsOf(const Json& report) {
  const std::string schema = TextMember(report, "schema");
  if (schema == "ns.sensitivity/1") {
    return SensitivityColumns(report);
  }
  if (schema == "ns.search/1") {
    return {TextColumn("layer", "name"), TextColumn("op", "op"),
            TextColumn("choice", "choice"),
            NumberColumn("share of the noise", "noise_share"),
            NumberColumn("time (us)", "time_us")};
  }
  if (schema == "ns.quantize/1") {
    return {TextColumn("layer", "name"), TextColumn("op", "op"),
            TextColumn("qconfig", "qconfig"), TextColumn("rule", "rule")};
  }
  return CompareColumns();
}

// A table that keeps the cells of its rows, and not the rows.
class Table {
 public:
  explicit Table(std::vector<HtmlColumn> columns)
      : columns_(std::move(columns)) {}

  void Add(const Json& row) {
    std::vector<HtmlCell>& cells = rows_.emplace_back();
    for (const HtmlColumn& column : columns_) {
      cells.push_back(column.cell(row));
    }
  }

  std::string Html(absl::string_view id) const {
    std::vector<size_t> shown;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!IsEmpty(i)) {
        shown.push_back(i);
      }
    }
    std::string html = absl::StrCat("<table id=\"", id, "\">\n<thead><tr>");
    for (const size_t i : shown) {
      absl::StrAppend(&html, "<th scope=\"col\"",
                      columns_[i].is_number ? " class=\"number\"" : "", ">",
                      HtmlText(columns_[i].heading), "</th>");
    }
    absl::StrAppend(&html, "</tr></thead>\n<tbody>\n");
    for (const std::vector<HtmlCell>& cells : rows_) {
      absl::StrAppend(&html, "<tr><th scope=\"row\">", HtmlText(cells[0].text),
                      "</th>");
      for (const size_t i : shown) {
        if (i > 0) {
          AppendCell(cells[i], html);
        }
      }
      absl::StrAppend(&html, "</tr>\n");
    }
    return absl::StrCat(html, "</tbody>\n</table>\n");
  }

 private:
  static void AppendCell(const HtmlCell& cell, std::string& html) {
    absl::StrAppend(&html, "<td",
                    cell.classes.empty()
                        ? ""
                        : absl::StrCat(" class=\"", cell.classes, "\""),
                    ">", HtmlText(cell.text), "</td>");
  }

  // The first column names the rows and always stays.
  bool IsEmpty(size_t column) const {
    return column > 0 &&
           absl::c_all_of(rows_, [&](const std::vector<HtmlCell>& cells) {
             return cells[column].text.empty();
           });
  }

  std::vector<HtmlColumn> columns_;
  std::vector<std::vector<HtmlCell>> rows_;
};

}  // namespace

std::string LayerTableHtml(const Json& report) {
  Table table(ColumnsOf(report));
  for (const Json& layer : ArrayMember(report, "layers")) {
    table.Add(layer);
  }
  return table.Html("layer-table");
}

absl::StatusOr<std::string> LayerTableHtml(
    const Json& report, absl::Span<const absl::string_view> layers) {
  Table table(ColumnsOf(report));
  for (const absl::string_view text : layers) {
    NS_ASSIGN_OR_RETURN(const Json layer, ParseJson(text));
    table.Add(layer);
  }
  return table.Html("layer-table");
}

std::string UnmatchedTableHtml(const Json& report) {
  const llvm::json::Array& rows = ArrayMember(report, "unmatched");
  if (rows.empty()) {
    return "";
  }
  Table table({TextColumn("model", "model"), TextColumn("path", "fqn"),
               TextColumn("op", "op"), TextColumn("reason", "reason")});
  for (const Json& row : rows) {
    table.Add(row);
  }
  return table.Html("unmatched-table");
}

}  // namespace ns
