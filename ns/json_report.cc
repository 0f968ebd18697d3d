#include "ns/json_report.h"

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "ns/comparison_result.h"
#include "ns/json_writer.h"

namespace ns {
namespace {

void WriteString(JsonWriter& json, absl::string_view key,
                 absl::string_view value) {
  json.Key(key);
  json.String(value);
}

void WriteDouble(JsonWriter& json, absl::string_view key, double value) {
  json.Key(key);
  json.Double(value);
}

template <typename Range>
void WriteNumbers(JsonWriter& json, absl::string_view key,
                  const Range& values) {
  json.Key(key);
  json.Numbers(values);
}

void WriteFigures(JsonWriter& json, const ErrorFigures& error) {
  WriteDouble(json, "sqnr_db", error.sqnr_db);
  WriteDouble(json, "normalized_l2", error.normalized_l2);
  WriteDouble(json, "cosine", error.cosine);
  WriteDouble(json, "max_abs_error", error.max_abs_error);
}

void WriteSide(JsonWriter& json, absl::string_view key, const LayerSide& side) {
  json.Key(key);
  json.BeginObject();
  WriteString(json, "fqn", side.fqn);
  if (side.fqn_inferred) {
    json.Key("fqn_inferred");
    json.Bool(true);
  }
  WriteString(json, "op", side.op);
  json.Key("subgraph");
  json.BeginArray();
  for (const std::string& op : side.subgraph) {
    json.String(op);
  }
  json.EndArray();
  json.EndObject();
}

void WriteWeight(JsonWriter& json, const WeightComparison& weight) {
  json.BeginObject();
  WriteString(json, "name", weight.name);
  WriteNumbers(json, "shape", weight.shape);
  WriteFigures(json, weight.error);
  json.EndObject();
}

void WriteActivationFields(JsonWriter& json,
                           const ActivationComparison& activation) {
  WriteNumbers(json, "shape", activation.shape);
  WriteFigures(json, activation.error);
  WriteNumbers(json, "batch_sqnr_db", activation.batch_sqnr_db);
  if (!activation.trip_sqnr_db.empty()) {
    WriteNumbers(json, "trips", activation.trip_sqnr_db);
  }
}

void WriteActivation(JsonWriter& json, absl::string_view key,
                     const ActivationComparison& activation) {
  json.Key(key);
  json.BeginObject();
  WriteActivationFields(json, activation);
  json.EndObject();
}

void WriteStub(JsonWriter& json, const StubComparison& stub) {
  json.BeginObject();
  WriteString(json, "name", stub.name);
  WriteString(json, "float_type", stub.float_type);
  WriteString(json, "quantized_type", stub.quantized_type);
  WriteActivationFields(json, stub.figures);
  json.EndObject();
}

void WriteLayer(JsonWriter& json, const LayerComparison& layer) {
  json.BeginObject();
  WriteString(json, "name", layer.name);
  WriteSide(json, "float", layer.float_side);
  WriteSide(json, "quantized", layer.quantized_side);
  if (!layer.output.empty()) {
    WriteString(json, "output", layer.output);
  }
  if (!layer.weights.empty()) {
    json.Key("weight");
    json.BeginArray();
    for (const WeightComparison& weight : layer.weights) {
      WriteWeight(json, weight);
    }
    json.EndArray();
  }
  if (layer.activation.has_value()) {
    WriteActivation(json, "activation", *layer.activation);
  }
  if (layer.shadow.has_value()) {
    WriteActivation(json, "shadow", *layer.shadow);
  }
  json.EndObject();
}

}  // namespace

std::string ToJson(const ComparisonResult& result) {
  JsonWriter json;
  json.BeginObject();
  WriteString(json, "schema", "ns.compare/1");
  WriteString(json, "float", result.float_path);
  WriteString(json, "quantized", result.quantized_path);
  WriteString(json, "matching", result.matching);
  json.Key("batches");
  json.Int(result.batches);

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
    WriteString(json, "model", node.model);
    WriteString(json, "fqn", node.fqn);
    WriteString(json, "op", node.op);
    WriteString(json, "reason", node.reason);
    json.EndObject();
  }
  json.EndArray();

  json.Key("not_shadowed");
  json.BeginArray();
  for (const NotShadowed& layer : result.not_shadowed) {
    json.BeginObject();
    WriteString(json, "name", layer.name);
    WriteString(json, "reason", layer.reason);
    json.EndObject();
  }
  json.EndArray();

  if (result.stubs.has_value()) {
    json.Key("stubs");
    json.BeginArray();
    for (const StubComparison& stub : *result.stubs) {
      WriteStub(json, stub);
    }
    json.EndArray();
  }
  json.EndObject();
  return std::move(json).Finish();
}

}  // namespace ns
