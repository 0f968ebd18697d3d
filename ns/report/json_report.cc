#include "ns/report/json_report.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/report/coverage_report.h"
#include "ns/report/error_breakdown.h"
#include "ns/report/error_causes.h"
#include "ns/report/graph_json.h"
#include "ns/report/json_figures.h"
#include "ns/report/json_histograms.h"
#include "ns/report/json_verdicts.h"
#include "ns/report/json_writer.h"
#include "ns/report/verdict.h"
#include "ns/suite/comparison_result.h"
#include "ns/suite/coverage.h"

namespace ns {
namespace {

void WriteSide(JsonWriter& json, absl::string_view key, const LayerSide& side) {
  json.Key(key);
  json.BeginObject();
  json.Member("fqn", side.fqn);
  if (side.fqn_inferred) {
    json.Key("fqn_inferred");
    json.Bool(true);
  }
  json.Member("op", side.op);
  json.Key("subgraph");
  json.BeginArray();
  for (const std::string& op : side.subgraph) {
    json.String(op);
  }
  json.EndArray();
  if (side.source.has_value()) {
    json.Key("source");
    json.BeginObject();
    json.Member("file", side.source->file);
    json.Member("line", side.source->line);
    json.EndObject();
  }
  json.EndObject();
}

void WriteParameters(JsonWriter& json, const LayerComparison& layer) {
  if (!layer.has_weight_of.empty()) {
    json.Member("has_weight_of", layer.has_weight_of);
  }
  if (layer.bias.has_value()) {
    json.Key("bias");
    json.BeginObject();
    json.Member("mean_squared_error", layer.bias->mean_squared_error);
    json.Key("missing");
    json.Bool(layer.bias->is_missing);
    json.EndObject();
  }
  if (layer.qparams.has_value()) {
    json.Key("qparams");
    json.BeginObject();
    json.Member("scale", layer.qparams->scale);
    json.Member("zero_point", layer.qparams->zero_point);
    json.EndObject();
  }
}

// Writes where the comparison ran and what it read, as far as it was asked for.
void WriteRun(JsonWriter& json, const ComparisonResult& result) {
  if (!result.processor.empty()) {
    json.Member("processor", result.processor);
  }
  if (!result.engine.empty()) {
    json.Member("engine", result.engine);
  }
  if (result.files.empty()) {
    return;
  }
  json.Key("files");
  json.BeginArray();
  for (const FileHash& file : result.files) {
    json.BeginObject();
    json.Member("path", file.path);
    json.Member("sha256", file.sha256);
    json.EndObject();
  }
  json.EndArray();
}

void WriteVerdict(JsonWriter& json, const ComparisonResult& result) {
  const std::optional<Verdict> verdict = VerdictOf(result);
  if (!verdict.has_value()) {
    return;
  }
  json.Key("verdict");
  json.BeginObject();
  if (verdict->layer.has_value()) {
    json.Member("layer", result.layers[*verdict->layer].name);
  }
  json.Member("kind", ErrorCauseName(verdict->cause));
  json.Member("sentences", verdict->sentences);
  json.EndObject();
}

void WriteWeight(JsonWriter& json, const WeightComparison& weight) {
  json.BeginObject();
  json.Member("name", weight.name);
  json.Member("shape", weight.shape);
  WriteFigures(json, weight.error);
  if (weight.histograms.has_value()) {
    WriteHistograms(json, *weight.histograms);
  }
  json.EndObject();
}

void WriteStub(JsonWriter& json, const StubComparison& stub) {
  json.BeginObject();
  json.Member("name", stub.name);
  json.Member("float_type", stub.float_type);
  json.Member("quantized_type", stub.quantized_type);
  WriteActivationFields(json, stub.figures);
  if (!stub.outputs.empty()) {
    json.Key("outputs");
    json.BeginArray();
    for (const StubOutput& output : stub.outputs) {
      json.BeginObject();
      json.Member("index", output.index);
      json.Member("name", output.name);
      WriteActivationFields(json, output.figures);
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

// Writes a module's output. What the models themselves return has no types.
void WriteModuleOutput(JsonWriter& json, const ModuleOutputComparison& output) {
  json.BeginObject();
  json.Member("name", output.name);
  if (!output.quantized_type.empty()) {
    json.Member("float_type", output.float_type);
    json.Member("quantized_type", output.quantized_type);
  }
  WriteActivationFields(json, output.figures);
  json.EndObject();
}

// Writes the breakdown of a layer for which all three errors were measured.
void WriteBreakdown(JsonWriter& json, const LayerComparison& layer) {
  json.Key("error");
  json.BeginObject();
  json.Member("accumulated_db", layer.activation->error.sqnr_db);
  json.Member("local_db", layer.shadow->error.sqnr_db);
  json.Member("inherited_db", layer.inherited->sqnr_db);
  if (const std::optional<ErrorPart> part = DominantPart(layer)) {
    json.Member("dominated_by", ErrorPartName(*part));
  }
  json.EndObject();
}

void WriteOptional(JsonWriter& json, absl::string_view key,
                   const std::optional<double>& value) {
  if (value.has_value()) {
    json.Member(key, *value);
  }
}

void WriteSaturation(JsonWriter& json, const PairSaturation& saturation) {
  json.Key("saturation");
  json.BeginObject();
  json.Member("numerics", saturation.numerics);
  json.Key("possible");
  json.Bool(saturation.IsPossible());
  json.Member("channels", saturation.channels);
  json.Member("saturating_channels", saturation.saturating_channels);
  json.Member("worst_pair_sum", saturation.worst_pair_sum);
  if (saturation.outputs.has_value()) {
    json.Member("outputs", *saturation.outputs);
    json.Member("saturated", *saturation.saturated);
  }
  WriteOptional(json, "share", saturation.Share());
  WriteOptional(json, "sqnr_db", saturation.sqnr_db);
  WriteOptional(json, "cost_db", saturation.cost_db);
  WriteOptional(json, "shadow_sqnr_db", saturation.shadow_sqnr_db);
  WriteOptional(json, "shadow_cost_db", saturation.shadow_cost_db);
  json.EndObject();
}

void WriteInherited(JsonWriter& json,
                    const std::optional<ErrorFigures>& inherited) {
  if (inherited.has_value()) {
    json.Key("inherited");
    json.BeginObject();
    WriteFigures(json, *inherited);
    json.EndObject();
  }
}

void WriteOutput(JsonWriter& json, const OutputComparison& output) {
  json.BeginObject();
  json.Member("index", output.index);
  json.Member("name", output.name);
  if (output.activation.has_value()) {
    WriteActivation(json, "activation", *output.activation);
  }
  if (output.shadow.has_value()) {
    WriteActivation(json, "shadow", *output.shadow);
  }
  WriteInherited(json, output.inherited);
  json.EndObject();
}

void WriteLayer(JsonWriter& json, const LayerComparison& layer) {
  json.BeginObject();
  json.Member("name", layer.name);
  WriteSide(json, "float", layer.float_side);
  WriteSide(json, "quantized", layer.quantized_side);
  if (layer.runs_in.has_value()) {
    json.Member("runs_in", RunsInName(*layer.runs_in));
  }
  if (!layer.output.empty()) {
    json.Member("output", layer.output);
  }
  if (!layer.unpaired_input.empty()) {
    json.Member("unpaired_input", layer.unpaired_input);
  }
  if (!layer.weights.empty()) {
    json.Key("weight");
    json.BeginArray();
    for (const WeightComparison& weight : layer.weights) {
      WriteWeight(json, weight);
    }
    json.EndArray();
  }
  WriteParameters(json, layer);
  if (layer.activation.has_value()) {
    WriteActivation(json, "activation", *layer.activation);
  }
  if (layer.shadow.has_value()) {
    WriteActivation(json, "shadow", *layer.shadow);
  }
  WriteInherited(json, layer.inherited);
  if (layer.kernel.has_value()) {
    WriteActivation(json, "kernel", *layer.kernel);
  }
  if (layer.activation && layer.shadow && layer.inherited) {
    WriteBreakdown(json, layer);
  }
  if (!layer.outputs.empty()) {
    json.Key("outputs");
    json.BeginArray();
    for (const OutputComparison& output : layer.outputs) {
      WriteOutput(json, output);
    }
    json.EndArray();
  }
  if (layer.saturation.has_value()) {
    WriteSaturation(json, *layer.saturation);
  }
  json.EndObject();
}

// Names the output that decided, unless it is the first.
void WriteDecidingOutput(JsonWriter& json, const OutputComparison* output) {
  if (output != nullptr) {
    json.Member("output", output->name);
  }
}

void WriteWorstOffender(JsonWriter& json, const LayerComparison& layer) {
  const OutputComparison* output = OffendingOutput(layer);
  json.Key("worst_offender");
  json.BeginObject();
  json.Member("name", layer.name);
  WriteDecidingOutput(json, output);
  json.Member(
      "local_db",
      (output == nullptr ? layer.shadow : output->shadow)->error.sqnr_db);
  json.EndObject();
}

void WriteUnexplainedFall(JsonWriter& json, const ComparisonResult& result,
                          size_t index) {
  const LayerComparison& layer = result.layers[index];
  const OutputComparison* output = UnexplainedOutput(result, index);
  json.Key("first_unexplained_fall");
  json.BeginObject();
  json.Member("name", layer.name);
  WriteDecidingOutput(json, output);
  json.Member("accumulated_db",
              (output == nullptr ? layer.activation : output->activation)
                  ->error.sqnr_db);
  json.Member("expected_db", *ExpectedAccumulatedDb(result, index, output));
  json.EndObject();
}

void WriteReasons(JsonWriter& json, absl::string_view key,
                  const std::vector<NotShadowed>& layers) {
  json.Key(key);
  json.BeginArray();
  for (const NotShadowed& layer : layers) {
    json.BeginObject();
    json.Member("name", layer.name);
    json.Member("reason", layer.reason);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string ToJson(const ComparisonResult& result) {
  JsonWriter json;
  json.BeginObject();
  json.Member("schema", "ns.compare/1");
  json.Member("float", result.float_path);
  json.Member("quantized", result.quantized_path);
  json.Member("matching", result.matching);
  json.Member("batches", result.batches);
  if (!result.emulated.empty()) {
    json.Member("emulated", result.emulated);
  }
  WriteRun(json, result);

  json.Key("layers");
  json.BeginArray();
  for (const LayerComparison& layer : result.layers) {
    WriteLayer(json, layer);
  }
  json.EndArray();

  json.Key("unmatched");
  json.BeginArray();
  for (const UnmatchedNode& node : result.unmatched) {
    json.BeginObject();
    json.Member("model", node.model);
    json.Member("fqn", node.fqn);
    json.Member("op", node.op);
    json.Member("reason", node.reason);
    json.EndObject();
  }
  json.EndArray();

  WriteReasons(json, "not_shadowed", result.not_shadowed);
  if (result.has_kernels) {
    WriteReasons(json, "no_reference", result.no_reference);
  }
  if (!result.emulated.empty()) {
    WriteReasons(json, "not_emulated", result.not_emulated);
  }

  WriteCoverage(json, result);
  if (const std::optional<size_t> worst = WorstOffender(result)) {
    WriteWorstOffender(json, result.layers[*worst]);
  }
  if (const std::optional<size_t> fall = FirstUnexplainedFall(result)) {
    WriteUnexplainedFall(json, result, *fall);
  }
  WriteVerdict(json, result);
  if (result.stubs.has_value()) {
    json.Key("stubs");
    json.BeginArray();
    for (const StubComparison& stub : *result.stubs) {
      WriteStub(json, stub);
    }
    json.EndArray();
  }
  if (result.outputs.has_value()) {
    json.Key("outputs");
    json.BeginArray();
    for (const ModuleOutputComparison& output : *result.outputs) {
      WriteModuleOutput(json, output);
    }
    json.EndArray();
  }
  WriteVerdicts(json, result);
  if (result.graphs.has_value()) {
    json.Key("graph");
    WriteGraphs(json, *result.graphs);
  }
  json.EndObject();
  return std::move(json).Finish();
}

}  // namespace ns
