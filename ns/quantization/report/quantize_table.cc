#include "ns/quantization/report/quantize_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ns/findings/figure_text.h"
#include "ns/findings/table_figures.h"
#include "ns/quantization/report/layer_bits.h"
#include "ns/quantization/report/tried_methods_text.h"
#include "ns/report/table/reason_list.h"
#include "ns/report/table/text_table.h"
#include "ns/result/printable.h"
#include "ns/training/training_text.h"

namespace ns {
namespace {

constexpr size_t kListed = 20;
constexpr absl::string_view kNothing = "-";

// A rule and the qconfig that it chose: one rule may choose several, as a
// kernel may refuse what it says.
using Rule = std::pair<std::string, std::string>;

Rule RuleOf(const LayerQuantization& layer) {
  return {layer.rule, layer.qconfig};
}

// Returns the rules in the order in which layers first have them.
std::vector<Rule> RulesOf(const std::vector<LayerQuantization>& layers) {
  std::vector<Rule> rules;
  for (const LayerQuantization& layer : layers) {
    if (!absl::c_linear_search(rules, RuleOf(layer))) {
      rules.push_back(RuleOf(layer));
    }
  }
  return rules;
}

// Returns how many times as large as in calibration values of the output may
// be, or of the first input where only that is quantized: "1.02".
std::string HeadroomText(const LayerQuantization& layer) {
  const ValueQuantization* value = layer.output           ? &*layer.output
                                   : layer.inputs.empty() ? nullptr
                                                          : &layer.inputs[0];
  return value != nullptr && value->headroom
             ? absl::StrFormat("%.2f", *value->headroom)
             : std::string(kNothing);
}

std::string BitsText(std::optional<int64_t> bits) {
  return bits ? absl::StrCat(*bits) : std::string(kNothing);
}

// Returns "7, channel" for a weight of 7 bits that is "per_channel_symmetric",
// and "tensor affine" for "per_tensor_affine" with bits that are not known.
std::string WeightText(const LayerQuantization& layer) {
  if (!layer.weight) {
    return std::string(kNothing);
  }
  const std::string text =
      absl::StrReplaceAll(layer.weight->scheme, {{"_", " "}});
  const std::optional<int64_t> bits = WeightBits(layer);
  return absl::StrCat(
      bits ? absl::StrCat(*bits, ", ") : "",
      absl::StripPrefix(absl::StripSuffix(text, " symmetric"), "per "));
}

// The columns of the table, filled row by row.
class Rows {
 public:
  void Add(const LayerQuantization& layer, size_t rule) {
    const size_t inputs = std::max<size_t>(layer.inputs.size(), 1);
    for (size_t i = 0; i < inputs; ++i) {
      const bool is_first = i == 0;
      AddCell(layer_, is_first ? Printable(layer.name) : "");
      AddCell(op_, is_first ? Printable(ShortOp(layer.op)) : "");
      AddCell(rule_, is_first ? absl::StrCat(rule) : "");
      AddCell(bits_, is_first ? BitsText(ActivationBits(layer)) : "");
      AddCell(headroom_, is_first ? HeadroomText(layer) : "");
      AddValue(input_scale_, input_zero_,
               i < layer.inputs.size() ? &layer.inputs[i] : nullptr);
      if (is_first) {
        AddValue(output_scale_, output_zero_,
                 layer.output ? &*layer.output : nullptr);
      } else {
        AddCell(output_scale_, "");
        AddCell(output_zero_, "");
      }
      AddCell(weight_, is_first ? Printable(WeightText(layer)) : "");
    }
  }

  std::vector<Column> Columns(bool has_headroom) const {
    std::vector<Column> columns = {layer_, op_, rule_, bits_};
    if (has_headroom) {
      columns.push_back(headroom_);
    }
    columns.insert(columns.end(), {input_scale_, input_zero_, output_scale_,
                                   output_zero_, weight_});
    return columns;
  }

 private:
  static Column Titled(const char* above, const char* title, bool align_right,
                       Shrink shrink = Shrink::kNever) {
    return {{{above, kBold}, {title, kBold}}, align_right, shrink};
  }

  static void AddCell(Column& column, std::string text) {
    column.cells.push_back({std::move(text), ""});
  }

  static void AddValue(Column& scales, Column& zeros,
                       const ValueQuantization* value) {
    AddCell(scales, value == nullptr ? std::string(kNothing)
                                     : absl::StrFormat("%.4g", value->scale));
    AddCell(zeros, value == nullptr ? std::string(kNothing)
                                    : absl::StrCat(value->zero_point));
  }

  Column layer_ = Titled("", "layer", false, Shrink::kLater);
  Column op_ = Titled("", "op", false, Shrink::kFirst);
  Column rule_ = Titled("", "rule", true);
  Column bits_ = Titled("act.", "bits", true);
  Column headroom_ = Titled("head-", "room", true);
  Column input_scale_ = Titled("input", "scale", true);
  Column input_zero_ = Titled("zero", "point", true);
  Column output_scale_ = Titled("output", "scale", true);
  Column output_zero_ = Titled("zero", "point", true);
  Column weight_ = Titled("weight", "bits, per", false);
};

std::string LayerRows(const std::vector<LayerQuantization>& layers,
                      const std::vector<Rule>& rules,
                      const TableOptions& options) {
  if (layers.empty()) {
    return "";
  }
  Rows rows;
  for (const LayerQuantization& layer : layers) {
    const auto rule = absl::c_find(rules, RuleOf(layer));
    rows.Add(layer, static_cast<size_t>(rule - rules.begin()) + 1);
  }
  const size_t limit = std::max(options.width, 0);
  std::vector<Column> columns = rows.Columns(/*has_headroom=*/true);
  if (limit > 0 && Width(FitWidths(columns, limit)) > limit) {
    columns = rows.Columns(/*has_headroom=*/false);
  }
  return absl::StrCat(Render(columns, FitWidths(columns, limit), options.color),
                      "\n");
}

// Returns "12 layers quantized (static, fbgemm), 2 stayed float".
std::string CountLine(const QuantizeSummary& summary) {
  const size_t layers = summary.report.layers.size();
  return absl::StrCat(layers, layers == 1 ? " layer" : " layers",
                      " quantized (", summary.mode, ", ", summary.backend,
                      "), ", summary.report.stayed_float.size(),
                      " stayed float\n");
}

std::string RuleList(const std::vector<Rule>& rules) {
  std::string text;
  for (size_t i = 0; i < rules.size(); ++i) {
    const auto& [rule, qconfig] = rules[i];
    absl::StrAppend(&text, "  rule ", i + 1, "  ", Printable(rule), ": ",
                    Printable(qconfig), "\n");
  }
  return text;
}

std::string FloatList(const std::vector<FloatLayer>& layers) {
  std::vector<Reasoned> items;
  items.reserve(layers.size());
  for (const FloatLayer& layer : layers) {
    items.push_back({absl::StrCat(layer.name.empty() ? "the model" : layer.name,
                                  " (", ShortOp(layer.op), ")"),
                     layer.reason});
  }
  return ReasonList(items, "stayed float");
}

// Returns "\n2 unused rules:\n", then `lines`, at most kListed of them.
std::string List(absl::string_view title,
                 const std::vector<std::string>& lines) {
  std::string text = absl::StrCat("\n", title, ":\n");
  for (size_t i = 0; i < std::min(lines.size(), kListed); ++i) {
    absl::StrAppend(&text, "  ", lines[i], "\n");
  }
  if (lines.size() > kListed) {
    absl::StrAppend(&text, "  and ", lines.size() - kListed,
                    " more (see --json)\n");
  }
  return text;
}

std::string UnusedRules(const std::vector<std::string>& rules) {
  if (rules.empty()) {
    return "";
  }
  std::vector<std::string> lines;
  lines.reserve(rules.size());
  for (const std::string& rule : rules) {
    lines.push_back(Printable(rule));
  }
  return List(absl::StrCat(rules.size(), rules.size() == 1 ? " rule" : " rules",
                           " that chose no layer"),
              lines);
}

// Returns ", 3 of 10 channels below 3 dB", or nothing where none is.
std::string LostText(const std::optional<ChannelSummary>& channels) {
  return channels && channels->below_3db > 0
             ? absl::StrCat(", ", channels->below_3db, " of ",
                            channels->channels, " channels below 3 dB")
             : "";
}

// Returns "SQNR of the outputs, 8 batches:", then a line for each.
std::string OutputList(const QuantizeSummary& summary) {
  if (summary.outputs.empty()) {
    return "";
  }
  size_t width = 0;
  for (const OutputError& output : summary.outputs) {
    width = std::max(width, Printable(output.name).size());
  }
  std::vector<std::string> lines;
  for (const OutputError& output : summary.outputs) {
    const std::string db = FormatDb(output.sqnr_db);
    lines.push_back(absl::StrFormat(
        "%-*s  %5s%s%s", width, Printable(output.name), db,
        std::isfinite(output.sqnr_db) ? " dB" : "", LostText(output.channels)));
  }
  return List(absl::StrCat("SQNR of the outputs, ", summary.batches,
                           summary.batches == 1 ? " batch" : " batches"),
              lines);
}

// Returns "more with other flags:", then a line for each.
std::string AdviceList(const std::vector<std::string>& advice) {
  return advice.empty() ? "" : List("more with other flags", advice);
}

// Returns what a headroom gains or costs, and whether it was kept.
std::string HeadroomText(const HeadroomTrial& trial) {
  return List(
      absl::StrFormat("headroom of %g%s", trial.factor,
                      trial.IsKept() ? "" : ", which costs too much"),
      {absl::StrFormat("models that have not seen batch %d, the largest: %s dB "
                       "without it, %s dB with it",
                       trial.batch, FormatDb(trial.without_db),
                       FormatDb(trial.with_db))});
}

// Returns what a search has found for its budget.
std::string BudgetText(const BudgetReport& budget) {
  const auto db = [](double figure) {
    return absl::StrCat(FormatDb(figure), std::isfinite(figure) ? " dB" : "");
  };
  return List(
      absl::StrFormat("fastest recipe found for %g dB", budget.budget_db),
      {absl::StrFormat("%s predicted, %s measured on %d %s",
                       db(budget.predicted_db), db(budget.measured_db),
                       budget.batches,
                       budget.batches == 1 ? "batch" : "batches"),
       absl::StrFormat("%d of %d layers in int8; %.0f us for a batch, float "
                       "model %.0f us",
                       budget.int8_layers, budget.layers, budget.time_us,
                       budget.float_time_us)});
}

}  // namespace

std::string QuantizeTable(const QuantizeSummary& summary,
                          const TableOptions& options) {
  const QuantizationReport& report = summary.report;
  const std::vector<Rule> rules = RulesOf(report.layers);
  return absl::StrCat(
      LayerRows(report.layers, rules, options), CountLine(summary),
      RuleList(rules), FloatList(report.stayed_float),
      UnusedRules(report.unused_rules), TriedMethodsText(report.tried),
      summary.headroom ? HeadroomText(*summary.headroom) : "",
      OutputList(summary),
      summary.training ? TrainingText(*summary.training) : "",
      summary.budget ? BudgetText(*summary.budget) : "",
      AdviceList(summary.advice));
}

}  // namespace ns
