#include "ns/inspect/inspection_report.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/graph/node_view.h"
#include "ir/json/json_map.h"
#include "ir/json/write_json.h"
#include "ns/findings/figure_text.h"
#include "ns/report/table/text_table.h"
#include "ns/result/printable.h"
#include "ns/result/provenance_map.h"

namespace ns {
namespace {

// An unknown op and how often it is there.
struct OpCount {
  std::string op;
  int64_t count = 0;
};

std::string BytesText(int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 1000) {
    return absl::StrCat(bytes, " bytes");
  }
  return bytes < 1000000 ? absl::StrFormat("%.1f kB", value / 1e3)
                         : absl::StrFormat("%.1f MB", value / 1e6);
}

std::string WeightText(const InspectedWeight& weight) {
  return absl::StrCat(weight.dtype, " [", absl::StrJoin(weight.shape, ", "),
                      "]");
}

std::string WeightsText(const InspectedLayer& layer) {
  if (layer.weights.empty()) {
    return "-";
  }
  const std::string first = WeightText(layer.weights[0]);
  return layer.weights.size() == 1
             ? first
             : absl::StrCat("(x", layer.weights.size(), ") ", first);
}

std::string WeightScaleText(const InspectedLayer& layer) {
  if (layer.weights.empty() || !layer.weights[0].scale) {
    return "-";
  }
  const ScaleRange& scale = *layer.weights[0].scale;
  return scale.per_channel ? absl::StrCat(FormatFigure(scale.lowest), " to ",
                                          FormatFigure(scale.highest))
                           : FormatFigure(scale.lowest);
}

std::string OutputText(const InspectedLayer& layer) {
  if (layer.output_dtype.empty()) {
    return "-";
  }
  if (!layer.output) {
    return layer.output_dtype;
  }
  return absl::StrCat(layer.output_dtype, " ",
                      FormatFigure(layer.output->lowest), ", ",
                      layer.output->zero_point.value_or(0));
}

std::vector<Column> Columns(const ModelInspection& inspection) {
  Column names{{{"", ""}, {"layer", kBold}}, false, Shrink::kLater};
  Column ops{{{"", ""}, {"op", kBold}}, false, Shrink::kFirst};
  Column runs_in{{{"", ""}, {"runs in", kBold}}};
  Column weights{{{"", ""}, {"weight", kBold}}};
  Column weight_scales{{{"weight", kBold}, {"scale", kBold}}};
  Column outputs{{{"output", kBold}, {"scale, zero point", kBold}}};
  Column groups{{{"one", kBold}, {"scale", kBold}}};
  for (const InspectedLayer& layer : inspection.layers) {
    names.cells.push_back({Printable(layer.name), ""});
    ops.cells.push_back({Printable(ShortOpName(layer.op)), ""});
    runs_in.cells.push_back(
        {layer.runs_in ? RunsInName(*layer.runs_in) : "-", ""});
    weights.cells.push_back({WeightsText(layer), ""});
    weight_scales.cells.push_back({WeightScaleText(layer), ""});
    outputs.cells.push_back({OutputText(layer), ""});
    groups.cells.push_back(
        {layer.scale_group ? absl::StrCat("#", *layer.scale_group) : "", ""});
  }
  const auto has_values = [](const Column& column) {
    return std::any_of(column.cells.begin() + 2, column.cells.end(),
                       [](const Cell& cell) {
                         return cell.text != "-" && !cell.text.empty();
                       });
  };
  std::vector<Column> columns = {std::move(names), std::move(ops),
                                 std::move(runs_in)};
  for (Column* column : {&weights, &weight_scales, &outputs, &groups}) {
    if (has_values(*column)) {
      columns.push_back(std::move(*column));
    }
  }
  return columns;
}

std::string MethodText(const InspectedMethod& method) {
  return absl::StrCat("  ", method.name, "(",
                      absl::StrJoin(method.arguments, ", "), ")",
                      method.returns.empty() ? "" : " -> ", method.returns);
}

// Returns "8 layers: 6 int8, 2 float".
std::string LayerCount(const ModelInspection& inspection) {
  constexpr std::array kAll = {RunsIn::kInt8, RunsIn::kInt8Weights,
                               RunsIn::kHalfWeights, RunsIn::kFloat};
  size_t layers = 0;
  std::vector<std::string> parts;
  for (const RunsIn runs_in : kAll) {
    const auto count = std::count_if(
        inspection.layers.begin(), inspection.layers.end(),
        [&](const InspectedLayer& layer) { return layer.runs_in == runs_in; });
    layers += static_cast<size_t>(count);
    if (count > 0) {
      parts.push_back(absl::StrCat(count, " ", RunsInName(runs_in)));
    }
  }
  return absl::StrCat(layers, layers == 1 ? " layer" : " layers",
                      parts.empty() ? "" : ": ", absl::StrJoin(parts, ", "),
                      "\n");
}

}  // namespace

std::string InspectionTable(const ModelInspection& inspection,
                            const TableOptions& options) {
  std::string text = absl::StrCat(Printable(inspection.path), ": ",
                                  ModelKindName(inspection.kind),
                                  inspection.is_frozen ? ", frozen" : "", ", ",
                                  BytesText(inspection.file_bytes), "\n");
  if (inspection.provenance) {
    const Provenance& made = *inspection.provenance;
    absl::StrAppend(&text, "made by ", Printable(made.tool), " on LibTorch ",
                    Printable(made.libtorch), ", engine ",
                    Printable(made.engine), ": ", Printable(made.command),
                    "\n");
  }
  for (const InspectedMethod& method : inspection.methods) {
    absl::StrAppend(&text, Printable(MethodText(method)), "\n");
  }
  if (!inspection.layers.empty()) {
    const std::vector<Column> columns = Columns(inspection);
    absl::StrAppend(
        &text, "\n",
        Render(
            columns,
            FitWidths(columns, static_cast<size_t>(std::max(options.width, 0))),
            options.color));
  }
  absl::StrAppend(&text, "\n", LayerCount(inspection));
  if (inspection.training_module) {
    absl::StrAppend(&text, "saved in training mode: ",
                    Printable(*inspection.training_module),
                    "; call model.eval() before torch.jit.save\n");
  }
  if (!inspection.unknown_ops.empty()) {
    absl::StrAppend(&text, "ops that ns does not know: ",
                    Printable(absl::StrJoin(
                        inspection.unknown_ops, ", ",
                        [](std::string* out, const auto& op) {
                          absl::StrAppend(out, op.first, " (", op.second, ")");
                        })),
                    "\n");
  }
  return text;
}

template <typename Io>
void Map(Io& io, ScaleRange& scale) {
  io("lowest", scale.lowest);
  io("highest", scale.highest);
  io.Optional("zero_point", scale.zero_point);
  io("per_channel", scale.per_channel);
}

template <typename Io>
void Map(Io& io, InspectedWeight& weight) {
  io("name", weight.name);
  io("shape", weight.shape);
  io("dtype", weight.dtype);
  io.Optional("scale", weight.scale);
}

template <typename Io>
void Map(Io& io, InspectedLayer& layer) {
  io("name", layer.name);
  io("op", layer.op);
  io.Derived("runs_in", [&] {
    return layer.runs_in
               ? std::optional<std::string>(RunsInName(*layer.runs_in))
               : std::nullopt;
  });
  io.Optional("weights", layer.weights);
  io.Optional("output", layer.output);
  io.Optional("output_dtype", layer.output_dtype);
  io.Optional("scale_group", layer.scale_group);
}

template <typename Io>
void Map(Io& io, InspectedMethod& method) {
  io("name", method.name);
  io("arguments", method.arguments);
  io("returns", method.returns);
}

template <typename Io>
void Map(Io& io, OpCount& count) {
  io("op", count.op);
  io("count", count.count);
}

template <typename Io>
void Map(Io& io, ModelInspection& inspection) {
  io.Schema("ns.inspection/1", "what ns inspect --json wrote");
  io("path", inspection.path);
  io("file_bytes", inspection.file_bytes);
  io.Derived("kind",
             [&] { return std::string(ModelKindName(inspection.kind)); });
  io("frozen", inspection.is_frozen);
  io.Optional("training_module", inspection.training_module);
  io("methods", inspection.methods);
  io("layers", inspection.layers);
  io.Derived("unknown_ops", [&] {
    std::vector<OpCount> counts;
    for (const auto& [op, count] : inspection.unknown_ops) {
      counts.push_back({op, count});
    }
    return counts;
  });
  io.Optional("provenance", inspection.provenance);
}

std::string InspectionJson(const ModelInspection& inspection) {
  return WriteJson(inspection);
}

}  // namespace ns
