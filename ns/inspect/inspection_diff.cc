#include "ns/inspect/inspection_diff.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/json/json_map.h"
#include "ir/json/write_json.h"
#include "ns/findings/figure_text.h"
#include "ns/report/table/name_list.h"
#include "ns/report/table/text_table.h"
#include "ns/report/table/top_rows.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

constexpr absl::string_view kNothing = "-";

// Digits that tell any two floats apart.
std::string NumberText(double value) { return absl::StrFormat("%.9g", value); }

std::string ScaleText(const ScaleRange& scale) {
  std::string text = absl::StrCat("scale ", NumberText(scale.lowest));
  if (scale.per_channel) {
    absl::StrAppend(&text, " to ", NumberText(scale.highest));
  }
  if (scale.zero_point) {
    absl::StrAppend(&text, ", zero point ", *scale.zero_point);
  }
  return text;
}

std::string OutputText(const InspectedLayer& layer) {
  return layer.output_dtype.empty() ? std::string(kNothing)
         : layer.output
             ? absl::StrCat(layer.output_dtype, ", ", ScaleText(*layer.output))
             : layer.output_dtype;
}

std::string WeightText(const InspectedWeight& weight) {
  return absl::StrCat(weight.dtype, " [", absl::StrJoin(weight.shape, ", "),
                      "]", weight.scale ? ", " : "",
                      weight.scale ? ScaleText(*weight.scale) : "");
}

// What is compared of a layer, by part.
std::map<std::string, std::string> PartsOf(const InspectedLayer& layer) {
  std::map<std::string, std::string> parts = {{"op", layer.op},
                                              {"output", OutputText(layer)}};
  for (const InspectedWeight& weight : layer.weights) {
    parts[weight.name] = WeightText(weight);
  }
  return parts;
}

void AddDifferences(const InspectedLayer& a, const InspectedLayer& b,
                    InspectionDiff& diff) {
  const std::map<std::string, std::string> of_a = PartsOf(a);
  const std::map<std::string, std::string> of_b = PartsOf(b);
  std::set<std::string> names;
  for (const auto* parts : {&of_a, &of_b}) {
    for (const auto& [name, text] : *parts) {
      names.insert(name);
    }
  }
  const auto text_in = [](const std::map<std::string, std::string>& parts,
                          const std::string& name) {
    const auto found = parts.find(name);
    return found == parts.end() ? std::string(kNothing) : found->second;
  };
  for (const std::string& name : names) {
    const std::string text_a = text_in(of_a, name);
    const std::string text_b = text_in(of_b, name);
    if (text_a != text_b) {
      diff.differences.push_back({b.name, name, text_a, text_b});
    }
  }
}

}  // namespace

InspectionDiff DiffInspections(const ModelInspection& a,
                               const ModelInspection& b) {
  InspectionDiff diff;
  diff.path_a = a.path;
  diff.path_b = b.path;
  std::map<absl::string_view, const InspectedLayer*> of_a;
  for (const InspectedLayer& layer : a.layers) {
    of_a.emplace(layer.name, &layer);
  }
  std::set<absl::string_view> in_both;
  for (const InspectedLayer& layer : b.layers) {
    const auto found = of_a.find(layer.name);
    if (found == of_a.end()) {
      diff.only_b.push_back(layer.name);
    } else {
      in_both.insert(layer.name);
      AddDifferences(*found->second, layer, diff);
    }
  }
  for (const InspectedLayer& layer : a.layers) {
    if (in_both.count(layer.name) == 0) {
      diff.only_a.push_back(layer.name);
    }
  }
  diff.layers_in_both = in_both.size();
  return diff;
}

std::string InspectionDiffTable(const InspectionDiff& diff,
                                const TableOptions& options) {
  std::vector<LayerDifference> rows = diff.differences;
  const std::string left_out = KeepTop(options.top, "difference", rows);
  std::string text;
  if (!rows.empty()) {
    Column layers{{{"", ""}, {"layer", kBold}}, false, Shrink::kLater};
    Column parts{{{"", ""}, {"part", kBold}}};
    Column of_a{{{"", ""}, {"A", kBold}}, false, Shrink::kFirst};
    Column of_b{{{"", ""}, {"B", kBold}}, false, Shrink::kFirst};
    for (const LayerDifference& row : rows) {
      layers.cells.push_back({Printable(row.layer), ""});
      parts.cells.push_back({Printable(row.part), ""});
      of_a.cells.push_back({Printable(row.a), ""});
      of_b.cells.push_back({Printable(row.b), ""});
    }
    const std::vector<Column> columns = {layers, parts, of_a, of_b};
    text = absl::StrCat(
        Render(
            columns,
            FitWidths(columns, static_cast<size_t>(std::max(options.width, 0))),
            options.color),
        left_out, "\n");
  }
  absl::StrAppend(&text, Counted(diff.layers_in_both, "layer"), " in both: ",
                  diff.differences.empty()
                      ? "no difference"
                      : Counted(diff.differences.size(), "difference"),
                  "\n", NameList("new, only in B", diff.only_b),
                  NameList("vanished, only in A", diff.only_a));
  return text;
}

template <typename Io>
void Map(Io& io, LayerDifference& difference) {
  io("layer", difference.layer);
  io("part", difference.part);
  io("a", difference.a);
  io("b", difference.b);
}

template <typename Io>
void Map(Io& io, InspectionDiff& diff) {
  io.Schema("ns.model-diff/1", "what ns diff --json wrote of two models");
  io("a", diff.path_a);
  io("b", diff.path_b);
  io.Derived("equal", [&] { return diff.IsEmpty(); });
  io("layers_in_both", diff.layers_in_both);
  io("differences", diff.differences);
  io("new", diff.only_b);
  io("vanished", diff.only_a);
}

std::string InspectionDiffJson(const InspectionDiff& diff) {
  return WriteJson(diff);
}

}  // namespace ns
