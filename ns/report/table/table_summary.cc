#include "ns/report/table/table_summary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ns/findings/cure.h"
#include "ns/findings/error_breakdown.h"
#include "ns/findings/error_causes.h"
#include "ns/findings/figure_text.h"
#include "ns/findings/limits/limit_text.h"
#include "ns/findings/output_shares.h"
#include "ns/findings/output_view.h"
#include "ns/findings/outputs_of_model.h"
#include "ns/findings/saturation.h"
#include "ns/findings/table_figures.h"
#include "ns/findings/unexplained_falls.h"
#include "ns/findings/verdict.h"
#include "ns/report/table/accuracy_text.h"
#include "ns/report/table/emulation_summary.h"
#include "ns/report/table/gain_summary.h"
#include "ns/report/table/reason_list.h"
#include "ns/report/table/second_data_summary.h"
#include "ns/report/table/summary_line.h"
#include "ns/report/table/text_table.h"
#include "ns/report/table/time_summary.h"
#include "ns/result/comparison_result.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

constexpr size_t kListedSaturating = 5;
constexpr size_t kListedChannels = 5;

// Returns "25 layers matched (aligned), 8 batches".
std::string CountLine(const ComparisonResult& result) {
  const size_t layers = result.layers.size();
  std::string line =
      absl::StrCat(layers, layers == 1 ? " layer" : " layers", " matched");
  if (!result.matching.empty()) {
    absl::StrAppend(&line, " (", result.matching, ")");
  }
  if (result.batches > 0) {
    absl::StrAppend(&line, ", ", result.batches,
                    result.batches == 1 ? " batch" : " batches");
  }
  return line + "\n";
}

std::string UnmatchedList(const ComparisonResult& result) {
  std::vector<Reasoned> items;
  for (const UnmatchedNode& node : result.unmatched) {
    const absl::string_view op = ShortOp(node.op);
    items.push_back(
        {absl::StrFormat("%-9s  %s", node.model,
                         node.fqn.empty() ? std::string(op)
                         : op.empty()     ? node.fqn
                                      : absl::StrCat(node.fqn, " (", op, ")")),
         node.reason});
  }
  return ReasonList(items, "unmatched");
}

std::string LayerList(const std::vector<NotShadowed>& layers,
                      absl::string_view kind) {
  std::vector<Reasoned> items;
  for (const NotShadowed& layer : layers) {
    items.push_back({layer.name, layer.reason});
  }
  return ReasonList(items, kind);
}

// Returns "lowest activation SQNR   8.7 dB  layer4.1.conv2  (nan in 1 layer)",
// with "lstm (c_n)" for an output that is not the first.
std::string LowestLine(const ComparisonResult& result, Figure figure) {
  size_t compared = 0;
  size_t nans = 0;
  for (const LayerComparison& layer : result.layers) {
    if (const std::optional<double> db = LowestSqnr(layer, figure).db) {
      ++compared;
      nans += std::isnan(*db) ? 1 : 0;
    }
  }
  std::string line = absl::StrFormat("lowest %-15s ",
                                     absl::StrCat(FigureName(figure), " SQNR"));
  const Layers ranked = Ranked(result, figure);
  if (!ranked.empty()) {
    const OutputSqnr lowest = RankedSqnr(*ranked[0], figure);
    absl::StrAppendFormat(&line, "%5s dB  %s", FormatDb(lowest.db),
                          OutputLabel(*ranked[0], lowest.output));
  } else {
    line += compared == 0 ? "    -" : compared > nans ? "exact" : "  nan";
  }
  if (nans > 0) {
    absl::StrAppend(&line, "  (nan in ", nans,
                    nans == 1 ? " layer)" : " layers)");
  }
  return line + "\n";
}

// Returns "lowest output SQNR      21.6 dB  output, 3 of 10 channels below 3
// dB", of what the models return. Where outputs were asked for, a table of
// their own has them.
std::string OutputLine(const ComparisonResult& result) {
  const ModuleOutputComparison* const lowest =
      LowestOutput(result.model_outputs);
  if (lowest == nullptr || result.outputs) {
    return "";
  }
  const std::optional<ChannelSummary>& channels = lowest->figures.channels;
  return absl::StrFormat(
      "lowest %-15s %8s  %s%s\n", "output SQNR",
      DbWithUnit(lowest->figures.error.sqnr_db), Printable(lowest->name),
      channels && channels->below_3db > 0
          ? absl::StrCat(", ", channels->below_3db, " of ", channels->channels,
                         " channels below 3 dB")
          : "");
}

// Returns "error of the outputs    conv1 44 %, fc 25 %; 12 % unexplained":
// which layers it comes from. Nothing where shares do not hold.
std::string SharesLine(const ComparisonResult& result) {
  constexpr size_t kMostNamed = 4;
  constexpr double kLeastNamed = 0.05;
  if (!SharesHold(result)) {
    return "";
  }
  std::vector<std::string> shares;
  for (const size_t layer : LayersByShare(result)) {
    const double share = *result.layers[layer].output_share;
    if (shares.size() < kMostNamed && share >= kLeastNamed) {
      shares.push_back(absl::StrFormat(
          "%s %.0f %%", Printable(result.layers[layer].name), 100 * share));
    }
  }
  if (shares.empty()) {
    shares.push_back(
        absl::StrCat("spread over ", LayersByShare(result).size(), " layers"));
  }
  const double explained = *ExplainedShare(result);
  return absl::StrFormat(
      "%-22s  %s%s\n", "error of the outputs", absl::StrJoin(shares, ", "),
      explained < 1 - kLeastNamed
          ? absl::StrFormat("; %.0f %% unexplained", 100 * (1 - explained))
      : explained > 1 + kLeastNamed
          ? absl::StrFormat("; all shares add up to %.0f %%", 100 * explained)
          : "");
}

// Returns "agreement of classes    top-1 99.61 %, ...".
std::string AgreementLine(const ComparisonResult& result) {
  return result.agreement ? SummaryLine("agreement of classes",
                                        AgreementText(*result.agreement))
                          : "";
}

// Returns "partial   5 of 7 batches; shards 1 of 3 are missing".
std::string PartialLine(const ComparisonResult& result) {
  return result.partial ? SummaryLine("partial", *result.partial) : "";
}

// Returns "samples compared        3, 17 of 256 (flipped)".
std::string SamplesLine(const ComparisonResult& result) {
  return result.samples
             ? SummaryLine("samples compared", SamplesText(*result.samples))
             : "";
}

std::string LowestLines(const ComparisonResult& result) {
  std::string lines =
      OutputLine(result) + AgreementLine(result) + SharesLine(result);
  for (const Figure figure : ShownFigures(result)) {
    const bool is_part =
        figure == Figure::kInherited || figure == Figure::kWeightOnly ||
        figure == Figure::kActivationOnly || figure == Figure::kSecondData;
    if (!is_part) {
      absl::StrAppend(&lines, LowestLine(result, figure));
    }
  }
  return lines;
}

// Returns "worst offender          fc  local 8.7 dB (accumulated 6.1, inherited
// 9.9)".
std::string OffenderLine(const LayerComparison& layer,
                         const OutputComparison* output) {
  std::vector<std::string> parts;
  if (const auto db = SqnrDb(layer, output, Figure::kActivation)) {
    parts.push_back("accumulated " + FormatDb(db));
  }
  if (const auto db = SqnrDb(layer, output, Figure::kInherited)) {
    parts.push_back("inherited " + FormatDb(db));
  }
  return absl::StrFormat(
      "%-22s  %s  local %s dB%s\n", "worst offender",
      OutputLabel(layer, output),
      FormatDb(SqnrDb(layer, output, Figure::kShadow)),
      parts.empty() ? "" : absl::StrCat(" (", absl::StrJoin(parts, ", "), ")"));
}

// Returns "mostly a shift          fc  quantized minus float is 0.0123 on
// average, 71 % of the squared error", or nothing where the local error is
// mostly something else.
std::string ShiftLine(const LayerComparison& layer,
                      const OutputComparison* output) {
  constexpr double kMostly = 0.5;
  const ErrorFigures& error =
      (output == nullptr ? layer.shadow : output->shadow)->error;
  return error.bias_share > kMostly
             ? absl::StrFormat(
                   "%-22s  %s  quantized minus float is %.3g on average, %.0f "
                   "%% of the squared error\n",
                   "mostly a shift", OutputLabel(layer, output),
                   error.mean_error, 100 * error.bias_share)
             : "";
}

// Returns "a few outliers          fc  the largest 0.1 % of the errors make 71
// % of the squared error", or nothing where they do not, or were not counted.
std::string OutliersLine(const LayerComparison& layer,
                         const OutputComparison* output) {
  constexpr double kMostly = 0.5;
  const std::optional<OutlierFigures>& outliers =
      (output == nullptr ? layer.shadow : output->shadow)->outliers;
  return outliers && outliers->share > kMostly
             ? absl::StrFormat(
                   "%-22s  %s  the largest 0.1 %% of the errors make %.0f %% "
                   "of the squared error\n",
                   "a few outliers", OutputLabel(layer, output),
                   100 * outliers->share)
             : "";
}

// Returns "first unexplained fall  fc  accumulated 9.1 dB, expected 14.0".
std::string UnexplainedLine(const ComparisonResult& result, size_t index) {
  const LayerComparison& layer = result.layers[index];
  const OutputComparison* output = UnexplainedOutput(result, index);
  return absl::StrFormat(
      "%-22s  %s  accumulated %s dB, expected %s\n", "first unexplained fall",
      OutputLabel(layer, output),
      FormatDb(SqnrDb(layer, output, Figure::kActivation)),
      FormatDb(ExpectedAccumulatedDb(result, index, output)));
}

// Returns "worst channels          fc  3 (2.1 dB), 17 (4.0), 5 (4.4)", or
// nothing where channels were not asked for.
std::string ChannelsLine(const LayerComparison& layer,
                         const OutputComparison* output, Figure figure) {
  const bool of_shadow = figure == Figure::kShadow;
  const auto& figures = output == nullptr
                            ? (of_shadow ? layer.shadow : layer.activation)
                            : (of_shadow ? output->shadow : output->activation);
  if (!figures.has_value() || figures->worst_channels.empty()) {
    return "";
  }
  const std::vector<ChannelError>& channels = figures->worst_channels;
  std::string line = absl::StrFormat("%-22s  %s  ", "worst channels",
                                     OutputLabel(layer, output));
  for (size_t i = 0; i < std::min(channels.size(), kListedChannels); ++i) {
    absl::StrAppend(&line, i == 0 ? "" : ", ", channels[i].channel, " (",
                    FormatDb(channels[i].sqnr_db), i == 0 ? " dB)" : ")");
  }
  return line + "\n";
}

// Returns what helps, the command that does it and the one that explains the
// cause, a line each.
std::string HelpLines(const ComparisonResult& result, const Verdict& verdict) {
  const std::optional<Cure> cure = CureOf(result, verdict);
  return cure
             ? absl::StrCat(
                   CureLines(*cure),
                   SummaryLine("", absl::StrCat("ns explain ",
                                                ErrorCauseName(verdict.cause))))
             : "";
}

// Returns "verdict                 fc is to blame (8.7 dB by itself): it has no
// bias, and the float layer has one.", and what helps, or nothing where the
// lines above say all there is.
std::string VerdictLines(const ComparisonResult& result,
                         const std::optional<Verdict>& verdict) {
  return verdict && SaysWhatToDo(result, *verdict)
             ? absl::StrCat(SummaryLine("verdict", verdict->sentences.front()),
                            HelpLines(result, *verdict))
             : "";
}

// Says which layers are to blame, but for the one of `verdict`: that of another
// layer would be a second culprit. Without shadows it tells only channels, of
// the layer with the lowest activation.
std::string BlameLines(const ComparisonResult& result,
                       const std::optional<Verdict>& verdict) {
  if (!result.has_activations || !result.inputs_are_finite) {
    return "";  // The lowest shadow says it, or a warning that there is none.
  }
  if (!result.has_shadows) {
    constexpr Figure kFigure = Figure::kActivation;
    const Layers ranked = Ranked(result, kFigure);
    return ranked.empty()
               ? ""
               : ChannelsLine(*ranked[0],
                              RankedSqnr(*ranked[0], kFigure).output, kFigure);
  }
  std::string lines;
  const std::optional<size_t> worst = WorstOffender(result);
  const bool is_culprit = worst && (!verdict         ? true
                                    : verdict->layer ? *verdict->layer == *worst
                                                     : !SharesHold(result));
  if (is_culprit) {
    const LayerComparison& layer = result.layers[*worst];
    const OutputComparison* output = OffendingOutput(layer);
    absl::StrAppend(&lines, OffenderLine(layer, output),
                    ShiftLine(layer, output), OutliersLine(layer, output),
                    ChannelsLine(layer, output, Figure::kShadow));
  }
  if (const std::optional<size_t> fall = FirstUnexplainedFall(result)) {
    absl::StrAppend(&lines, UnexplainedLine(result, *fall));
  }
  return lines;
}

// Returns "0.4 % at the lowest, 2.3 % at the highest code".
std::string SharesText(const Saturation& shares) {
  std::vector<std::string> ends;
  if (shares.at_lowest > kSaturationLimit) {
    ends.push_back(
        absl::StrFormat("%.1f %% at the lowest", 100 * shares.at_lowest));
  }
  if (shares.at_highest > kSaturationLimit) {
    ends.push_back(
        absl::StrFormat("%.1f %% at the highest", 100 * shares.at_highest));
  }
  return absl::StrJoin(ends, ", ") + " code";
}

std::string SaturatingList(const ComparisonResult& result) {
  const std::vector<Saturation> layers = SaturatingLayers(result);
  if (layers.empty()) {
    return "";
  }
  std::string text = absl::StrCat("\n", layers.size(), " saturating:\n");
  const size_t listed = std::min(layers.size(), kListedSaturating);
  for (size_t i = 0; i < listed; ++i) {
    absl::StrAppend(&text, "  ", Printable(result.layers[layers[i].layer].name),
                    " (", SharesText(layers[i]), ")\n");
  }
  if (layers.size() > listed) {
    absl::StrAppend(&text, "  and ", layers.size() - listed,
                    " more (see --json)\n");
  }
  return text;
}

std::string UnpairedInputList(const ComparisonResult& result) {
  std::vector<NotShadowed> layers;
  for (const LayerComparison& layer : result.layers) {
    if (!layer.unpaired_input.empty()) {
      layers.push_back({layer.name, layer.unpaired_input});
    }
  }
  return LayerList(layers, "with unpaired inputs, none of them a culprit");
}

}  // namespace

std::string MatchSummary(const ComparisonResult& result) {
  return absl::StrCat(CountLine(result), UnmatchedList(result),
                      UnpairedInputList(result));
}

std::string FigureSummary(const ComparisonResult& result) {
  const std::optional<Verdict> verdict = VerdictOf(result);
  return absl::StrCat(
      CountLine(result), PartialLine(result), SamplesLine(result),
      result.layers.empty() ? "" : LowestLines(result),
      BlameLines(result, verdict), VerdictLines(result, verdict),
      GainSummary(result), SaturatingList(result), EmulationSummary(result),
      LayerList(result.not_emulated, "not emulated"), UnmatchedList(result),
      UnpairedInputList(result), LayerList(result.not_shadowed, "not shadowed"),
      LayerList(result.no_reference, "without a reference"),
      LayerList(result.not_referenced, "not compared with the reference"),
      ScoreSummary(result.scores),
      result.accuracy ? AccuracySummary(*result.accuracy) : "",
      SecondDataSummary(result), TimeSummary(result),
      result.limits ? LimitLines(*result.limits) : "",
      result.baseline ? BaselineLines(*result.baseline) : "");
}

}  // namespace ns
