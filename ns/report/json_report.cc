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
#include "ns/report/json_layer.h"
#include "ns/report/json_verdicts.h"
#include "ns/report/json_writer.h"
#include "ns/report/verdict.h"
#include "ns/suite/comparison_result.h"

namespace ns {
namespace {

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
  if (output.holds_integers) {
    json.Key("integers");
    json.Bool(true);
  }
  WriteActivationFields(json, output.figures);
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
  if (!result.reference.empty()) {
    json.Member("reference", result.reference);
  }
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
  if (!result.reference.empty()) {
    WriteReasons(json, "not_referenced", result.not_referenced);
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
