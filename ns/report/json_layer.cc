#include "ns/report/json_layer.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "ns/report/change_text.h"
#include "ns/report/error_breakdown.h"
#include "ns/report/json_figures.h"
#include "ns/report/json_histograms.h"
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
  json.EndObject();
}

// Writes where both sides are in the user's code, as far as that is known.
void WriteSources(JsonWriter& json, const LayerComparison& layer) {
  const std::pair<absl::string_view, const LayerSide*> sides[] = {
      {"float", &layer.float_side}, {"quantized", &layer.quantized_side}};
  if (!layer.float_side.source && !layer.quantized_side.source) {
    return;
  }
  json.Key("source");
  json.BeginObject();
  for (const auto& [key, side] : sides) {
    if (side->source.has_value()) {
      json.Key(key);
      json.BeginObject();
      json.Member("file", side->source->file);
      json.Member("line", side->source->line);
      json.EndObject();
    }
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

void WriteError(JsonWriter& json, absl::string_view key,
                const std::optional<ErrorFigures>& error) {
  if (error.has_value()) {
    json.Key(key);
    json.BeginObject();
    WriteFigures(json, *error);
    json.EndObject();
  }
}

void WriteTriedChanges(JsonWriter& json, const LayerComparison& layer) {
  if (layer.tried_changes.empty()) {
    return;
  }
  json.Key("tried_changes");
  json.BeginArray();
  for (const TriedChange& change : layer.tried_changes) {
    json.BeginObject();
    json.Member("change", ChangeKindName(change.kind));
    if (change.qparams.has_value()) {
      json.Member("scale", change.qparams->scale);
      json.Member("zero_point", change.qparams->zero_point);
    }
    json.Member("sqnr_db", change.sqnr_db);
    json.Member("gain_db", GainDb(layer, change));
    json.Member("text", ChangeText(layer, change));
    json.EndObject();
  }
  json.EndArray();
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
  WriteError(json, "inherited", output.inherited);
  json.EndObject();
}

}  // namespace

void WriteLayer(JsonWriter& json, const LayerComparison& layer) {
  json.BeginObject();
  json.Member("name", layer.name);
  WriteSide(json, "float", layer.float_side);
  WriteSide(json, "quantized", layer.quantized_side);
  WriteSources(json, layer);
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
  WriteError(json, "weight_only", layer.weight_only);
  WriteError(json, "activation_only", layer.activation_only);
  WriteError(json, "inherited", layer.inherited);
  if (layer.kernel.has_value()) {
    WriteActivation(json, "kernel", *layer.kernel);
  }
  if (layer.activation && layer.shadow && layer.inherited) {
    WriteBreakdown(json, layer);
  }
  WriteTriedChanges(json, layer);
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

}  // namespace ns
