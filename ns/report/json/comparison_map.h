// Describes the JSON of a comparison, the schema "ns.compare/1".
#ifndef NS_REPORT_JSON_COMPARISON_MAP_H_
#define NS_REPORT_JSON_COMPARISON_MAP_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ir/json/json_map.h"
#include "ns/findings/cure.h"
#include "ns/findings/data_shift.h"
#include "ns/findings/error_breakdown.h"
#include "ns/findings/error_causes.h"
#include "ns/findings/output_shares.h"
#include "ns/findings/unexplained_falls.h"
#include "ns/findings/verdict.h"
#include "ns/report/json/figures_map.h"
#include "ns/report/json/graph_map.h"
#include "ns/report/json/layer_map.h"
#include "ns/report/json/limits_map.h"
#include "ns/report/table/coverage_report.h"
#include "ns/result/comparison_result.h"
#include "ns/result/coverage.h"
#include "ns/result/time_figures.h"
#include "ns/timing/slow_layers.h"

namespace ns {

template <typename Io>
void Map(Io& io, FileHash& file) {
  io("path", file.path);
  io("sha256", file.sha256);
}

template <typename Io>
void Map(Io& io, UnmatchedNode& node) {
  io("model", node.model);
  io("fqn", node.fqn);
  io("op", node.op);
  io("reason", node.reason);
}

template <typename Io>
void Map(Io& io, NotShadowed& layer) {
  io("name", layer.name);
  io("reason", layer.reason);
}

template <typename Io>
void Map(Io& io, StayedFloat& layer) {
  io("name", layer.name);
  io("op", layer.op);
  io("reason", layer.reason);
}

template <typename Io>
void Map(Io& io, ExchangedOutput& output) {
  io("name", output.name);
  Map(io, output.axes);
}

template <typename Io>
void Map(Io& io, CancellingPair& pair) {
  io("dequantize", pair.dequantize);
  io("quantize", pair.quantize);
}

template <typename Io>
void Map(Io& io, CoverageSummary& summary) {
  io("int8_layers", summary.int8_layers);
  io("float_layers", summary.float_layers);
  io.Optional("int8_macs_share", summary.int8_macs_share);
  io("stayed_float", summary.coverage.stayed_float);
  io("cancelling_pairs", summary.coverage.cancelling_pairs);
  io("packs_at_run_time", summary.coverage.packs_at_run_time);
}

template <typename Io>
void Map(Io& io, StubOutput& output) {
  io("index", output.index);
  io("name", output.name);
  Map(io, output.figures);
}

template <typename Io>
void Map(Io& io, StubComparison& stub) {
  io("name", stub.name);
  io("float_type", stub.float_type);
  io("quantized_type", stub.quantized_type);
  Map(io, stub.figures);
  io.Optional("outputs", stub.outputs);
}

// What the models themselves return has no types.
template <typename Io>
void Map(Io& io, ModuleOutputComparison& output) {
  io("name", output.name);
  const bool has_types = !output.quantized_type.empty();
  io.When(has_types, "float_type", output.float_type);
  io.When(has_types, "quantized_type", output.quantized_type);
  io.Optional("integers", output.holds_integers);
  Map(io, output.figures);
}

// The layer with the lowest local SQNR, and its output that has it, unless that
// is the first.
struct OffenderSummary {
  std::string name;
  std::optional<std::string> output;
  double local_db = 0;
};

template <typename Io>
void Map(Io& io, OffenderSummary& offender) {
  io("name", offender.name);
  io.Optional("output", offender.output);
  io("local_db", offender.local_db);
}

inline std::optional<std::string> NameOf(const OutputComparison* output) {
  return output == nullptr ? std::nullopt : std::optional(output->name);
}

inline std::optional<OffenderSummary> OffenderOf(
    const ComparisonResult& result) {
  const std::optional<size_t> worst = WorstOffender(result);
  if (!worst) {
    return std::nullopt;
  }
  const LayerComparison& layer = result.layers[*worst];
  const OutputComparison* output = OffendingOutput(layer);
  return OffenderSummary{
      layer.name, NameOf(output),
      (output == nullptr ? layer.shadow : output->shadow)->error.sqnr_db};
}

// The FirstUnexplainedFall.
struct FallSummary {
  std::string name;
  std::optional<std::string> output;
  double accumulated_db = 0;
  double expected_db = 0;
};

template <typename Io>
void Map(Io& io, FallSummary& fall) {
  io("name", fall.name);
  io.Optional("output", fall.output);
  io("accumulated_db", fall.accumulated_db);
  io("expected_db", fall.expected_db);
}

inline std::optional<FallSummary> FallOf(const ComparisonResult& result) {
  const std::optional<size_t> index = FirstUnexplainedFall(result);
  if (!index) {
    return std::nullopt;
  }
  const LayerComparison& layer = result.layers[*index];
  const OutputComparison* output = UnexplainedOutput(result, *index);
  return FallSummary{layer.name, NameOf(output),
                     (output == nullptr ? layer.activation : output->activation)
                         ->error.sqnr_db,
                     *ExpectedAccumulatedDb(result, *index, output)};
}

struct VerdictSummary {
  std::optional<std::string> layer;
  std::string kind;
  std::vector<std::string> culprits;
  std::optional<double> explained_share;
  std::vector<std::string> sentences;
  std::optional<Cure> cure;
};

template <typename Io>
void Map(Io& io, Cure& cure) {
  io("sentence", cure.sentence);
  io.Optional("command", cure.command);
}

template <typename Io>
void Map(Io& io, VerdictSummary& verdict) {
  io.Optional("layer", verdict.layer);
  io("kind", verdict.kind);
  io("cause", verdict.kind);
  io.Optional("culprits", verdict.culprits);
  io.Optional("explained_share", verdict.explained_share);
  io("sentences", verdict.sentences);
  io.Optional("cure", verdict.cure);
}

inline std::optional<VerdictSummary> VerdictSummaryOf(
    const ComparisonResult& result) {
  const std::optional<Verdict> verdict = VerdictOf(result);
  if (!verdict) {
    return std::nullopt;
  }
  VerdictSummary summary;
  summary.kind = std::string(ErrorCauseName(verdict->cause));
  summary.explained_share = ExplainedShare(result);
  summary.sentences = verdict->sentences;
  summary.cure = CureOf(result, *verdict);
  if (verdict->layer) {
    summary.layer = result.layers[*verdict->layer].name;
    for (const size_t layer : LayersLike(result, *verdict->layer)) {
      summary.culprits.push_back(result.layers[layer].name);
    }
  }
  return summary;
}

template <typename Io>
void Map(Io& io, SecondData& data) {
  io("inputs", data.input_paths);
  io("batches", data.batches);
  io.Optional("outputs_of_model", data.model_outputs);
}

// A DataShift.
struct ShiftedLayer {
  std::string name;
  double beyond = 0;
  double width = 1;
  double clipped_on_first = 0;
  double clipped_on_second = 0;
};

template <typename Io>
void Map(Io& io, ShiftedLayer& shift) {
  io("name", shift.name);
  io("beyond", shift.beyond);
  io("width", shift.width);
  io("clipped_on_first", shift.clipped_on_first);
  io("clipped_on_second", shift.clipped_on_second);
}

// How a second data set differs from the first.
struct ShiftSummary {
  std::string sentence;
  std::vector<ShiftedLayer> layers;
  std::optional<Cure> cure;
};

template <typename Io>
void Map(Io& io, ShiftSummary& summary) {
  io("sentence", summary.sentence);
  io("layers", summary.layers);
  io.Optional("cure", summary.cure);
}

inline std::optional<ShiftSummary> ShiftSummaryOf(
    const ComparisonResult& result) {
  if (!result.second_data) {
    return std::nullopt;
  }
  ShiftSummary summary = {
      SecondDataSentence(result), {}, CureOfDataShift(result)};
  for (const DataShift& shift : DataShifts(result)) {
    summary.layers.push_back({result.layers[shift.layer].name, shift.beyond,
                              shift.width, shift.clipped_on_first,
                              shift.clipped_on_second});
  }
  return summary;
}

template <typename Io>
void Map(Io& io, OpTime& op) {
  io("model", op.model);
  io("op", op.op);
  io("nodes", op.nodes);
  io("us", op.us);
}

// A SlowLayer.
struct SlowLayerSummary {
  std::string name;
  double extra_us = 0;
  std::string reason;
};

template <typename Io>
void Map(Io& io, SlowLayerSummary& layer) {
  io("name", layer.name);
  io("extra_us", layer.extra_us);
  io("reason", layer.reason);
}

inline std::optional<std::vector<SlowLayerSummary>> SlowLayersOf(
    const ComparisonResult& result) {
  if (!result.times) {
    return std::nullopt;
  }
  std::vector<SlowLayerSummary> layers;
  for (const SlowLayer& slow : SlowLayers(result)) {
    layers.push_back({result.layers[slow.layer].name, slow.extra_us,
                      std::string(slow.reason)});
  }
  return layers;
}

template <typename Io>
void Map(Io& io, ModelTimes& times) {
  io("samples", times.samples);
  io("threads", times.threads);
  io("runs", times.runs);
  io("float_us", times.float_us);
  io("quantized_us", times.quantized_us);
  io("between_layers", times.between_layers);
}

template <typename Io>
void Map(Io& io, ComparisonResult& result) {
  io.Schema("ns.compare/1", "what ns compare --json wrote");
  io("float", result.float_path);
  io("quantized", result.quantized_path);
  io.Optional("inputs", result.input_paths);
  io("matching", result.matching);
  io("batches", result.batches);
  io.Optional("partial", result.partial);
  io.Optional("samples", result.samples);
  io.Optional("reference", result.reference);
  io.Optional("emulated", result.emulated);
  io.Optional("processor", result.processor);
  io.Optional("engine", result.engine);
  io.Optional("files", result.files);
  io("layers", result.layers);
  io("unmatched", result.unmatched);
  io("not_shadowed", result.not_shadowed);
  io.When(result.has_kernels, "no_reference", result.no_reference);
  io.When(!result.reference.empty(), "not_referenced", result.not_referenced);
  io.When(!result.emulated.empty(), "not_emulated", result.not_emulated);
  io.Derived("coverage", [&] { return CoverageSummaryOf(result); });
  io.Derived("worst_offender", [&] { return OffenderOf(result); });
  io.Derived("first_unexplained_fall", [&] { return FallOf(result); });
  io.Derived("verdict", [&] { return VerdictSummaryOf(result); });
  io.Optional("outputs_of_model", result.model_outputs);
  io.Optional("exchanged_outputs", result.exchanged_outputs);
  io.Optional("stubs", result.stubs);
  io.Optional("outputs", result.outputs);
  io.Optional("limits", result.limits);
  io.Optional("baseline", result.baseline);
  io.Optional("accuracy", result.accuracy);
  io.Optional("agreement", result.agreement);
  io.Optional("scores", result.scores);
  io.Optional("second_data", result.second_data);
  io.Derived("data_shift", [&] { return ShiftSummaryOf(result); });
  io.Optional("times", result.times);
  io.Derived("slower_than_float", [&] { return SlowLayersOf(result); });
  io.Optional("graph", result.graphs);
}

}  // namespace ns

#endif  // NS_REPORT_JSON_COMPARISON_MAP_H_
