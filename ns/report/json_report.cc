#include "ns/report/json_report.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/report/error_breakdown.h"
#include "ns/report/json_writer.h"
#include "ns/suite/comparison_result.h"
#include "ns/suite/metrics.h"

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

void WriteInt(JsonWriter& json, absl::string_view key, int64_t value) {
  json.Key(key);
  json.Int(value);
}

template <typename Range>
void WriteNumbers(JsonWriter& json, absl::string_view key,
                  const Range& values) {
  json.Key(key);
  json.Numbers(values);
}

void WriteFigures(JsonWriter& json, const ErrorFigures& error) {
  for (const Metric& metric : Metrics()) {
    WriteDouble(json, metric.name, error.*metric.figure);
  }
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

void WriteRanges(JsonWriter& json, const ValueRanges& ranges) {
  json.Key("range");
  json.BeginObject();
  WriteNumbers(json, "float",
               std::vector<double>{ranges.float_min, ranges.float_max});
  WriteNumbers(json, "quantized",
               std::vector<double>{ranges.quantized_min, ranges.quantized_max});
  json.EndObject();
}

void WriteNonFiniteSide(JsonWriter& json, absl::string_view key, int64_t nan,
                        int64_t inf) {
  json.Key(key);
  json.BeginObject();
  WriteInt(json, "nan", nan);
  WriteInt(json, "inf", inf);
  json.EndObject();
}

void WriteNonFinite(JsonWriter& json, const NonFiniteCounts& counts) {
  json.Key("non_finite");
  json.BeginObject();
  WriteNonFiniteSide(json, "float", counts.float_nan, counts.float_inf);
  WriteNonFiniteSide(json, "quantized", counts.quantized_nan,
                     counts.quantized_inf);
  json.EndObject();
}

void WriteCodes(JsonWriter& json, const CodeUse& codes) {
  json.Key("codes");
  json.BeginObject();
  WriteInt(json, "lowest", codes.at_lowest);
  WriteInt(json, "highest", codes.at_highest);
  WriteInt(json, "unused", codes.unused);
  json.EndObject();
}

void WriteWorstChannels(JsonWriter& json,
                        const std::vector<ChannelError>& channels) {
  json.Key("worst_channels");
  json.BeginArray();
  for (const ChannelError& channel : channels) {
    json.BeginObject();
    WriteInt(json, "channel", channel.channel);
    WriteDouble(json, "sqnr_db", channel.sqnr_db);
    json.EndObject();
  }
  json.EndArray();
}

void WriteActivationFields(JsonWriter& json,
                           const ActivationComparison& activation) {
  WriteNumbers(json, "shape", activation.shape);
  WriteFigures(json, activation.error);
  for (const UserFigure& figure : activation.user_figures) {
    WriteDouble(json, figure.metric, figure.value);
  }
  WriteNumbers(json, "batch_sqnr_db", activation.batch_sqnr_db);
  if (!activation.trip_sqnr_db.empty()) {
    WriteNumbers(json, "trips", activation.trip_sqnr_db);
  }
  if (activation.elements.has_value()) {
    WriteInt(json, "elements", *activation.elements);
  }
  if (activation.ranges.has_value()) {
    WriteRanges(json, *activation.ranges);
  }
  if (!IsOfFiniteValues(activation)) {
    WriteNonFinite(json, *activation.non_finite);
  }
  if (activation.codes.has_value()) {
    WriteCodes(json, *activation.codes);
  }
  if (!activation.worst_channels.empty()) {
    WriteWorstChannels(json, activation.worst_channels);
  }
  if (!activation.channel_sqnr_db.empty()) {
    WriteNumbers(json, "channel_sqnr_db", activation.channel_sqnr_db);
  }
  if (activation.outliers.has_value()) {
    WriteDouble(json, "abs_error_p999", activation.outliers->abs_error_p999);
    WriteDouble(json, "outlier_share", activation.outliers->share);
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
  if (!stub.outputs.empty()) {
    json.Key("outputs");
    json.BeginArray();
    for (const StubOutput& output : stub.outputs) {
      json.BeginObject();
      WriteInt(json, "index", output.index);
      WriteString(json, "name", output.name);
      WriteActivationFields(json, output.figures);
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

// What the models return has no types.
void WriteModuleOutput(JsonWriter& json, const ModuleOutputComparison& output) {
  json.BeginObject();
  WriteString(json, "name", output.name);
  if (!output.quantized_type.empty()) {
    WriteString(json, "float_type", output.float_type);
    WriteString(json, "quantized_type", output.quantized_type);
  }
  WriteActivationFields(json, output.figures);
  json.EndObject();
}

// The breakdown of a layer of which all three errors were measured.
void WriteBreakdown(JsonWriter& json, const LayerComparison& layer) {
  json.Key("error");
  json.BeginObject();
  WriteDouble(json, "accumulated_db", layer.activation->error.sqnr_db);
  WriteDouble(json, "local_db", layer.shadow->error.sqnr_db);
  WriteDouble(json, "inherited_db", layer.inherited->sqnr_db);
  if (const std::optional<ErrorPart> part = DominantPart(layer)) {
    WriteString(json, "dominated_by", ErrorPartName(*part));
  }
  json.EndObject();
}

void WriteOptional(JsonWriter& json, absl::string_view key,
                   const std::optional<double>& value) {
  if (value.has_value()) {
    WriteDouble(json, key, *value);
  }
}

void WriteSaturation(JsonWriter& json, const PairSaturation& saturation) {
  json.Key("saturation");
  json.BeginObject();
  WriteString(json, "numerics", saturation.numerics);
  json.Key("possible");
  json.Bool(saturation.IsPossible());
  WriteInt(json, "channels", saturation.channels);
  WriteInt(json, "saturating_channels", saturation.saturating_channels);
  WriteInt(json, "worst_pair_sum", saturation.worst_pair_sum);
  if (saturation.outputs.has_value()) {
    WriteInt(json, "outputs", *saturation.outputs);
    WriteInt(json, "saturated", *saturation.saturated);
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
  WriteInt(json, "index", output.index);
  WriteString(json, "name", output.name);
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
  WriteString(json, "name", layer.name);
  WriteSide(json, "float", layer.float_side);
  WriteSide(json, "quantized", layer.quantized_side);
  if (!layer.output.empty()) {
    WriteString(json, "output", layer.output);
  }
  if (!layer.unpaired_input.empty()) {
    WriteString(json, "unpaired_input", layer.unpaired_input);
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

// Names the output that decided, where it is not the first.
void WriteDecidingOutput(JsonWriter& json, const OutputComparison* output) {
  if (output != nullptr) {
    WriteString(json, "output", output->name);
  }
}

void WriteWorstOffender(JsonWriter& json, const LayerComparison& layer) {
  const OutputComparison* output = OffendingOutput(layer);
  json.Key("worst_offender");
  json.BeginObject();
  WriteString(json, "name", layer.name);
  WriteDecidingOutput(json, output);
  WriteDouble(
      json, "local_db",
      (output == nullptr ? layer.shadow : output->shadow)->error.sqnr_db);
  json.EndObject();
}

void WriteUnexplainedFall(JsonWriter& json, const ComparisonResult& result,
                          size_t index) {
  const LayerComparison& layer = result.layers[index];
  const OutputComparison* output = UnexplainedOutput(result, index);
  json.Key("first_unexplained_fall");
  json.BeginObject();
  WriteString(json, "name", layer.name);
  WriteDecidingOutput(json, output);
  WriteDouble(json, "accumulated_db",
              (output == nullptr ? layer.activation : output->activation)
                  ->error.sqnr_db);
  WriteDouble(json, "expected_db",
              *ExpectedAccumulatedDb(result, index, output));
  json.EndObject();
}

void WriteReasons(JsonWriter& json, absl::string_view key,
                  const std::vector<NotShadowed>& layers) {
  json.Key(key);
  json.BeginArray();
  for (const NotShadowed& layer : layers) {
    json.BeginObject();
    WriteString(json, "name", layer.name);
    WriteString(json, "reason", layer.reason);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string ToJson(const ComparisonResult& result) {
  JsonWriter json;
  json.BeginObject();
  WriteString(json, "schema", "ns.compare/1");
  WriteString(json, "float", result.float_path);
  WriteString(json, "quantized", result.quantized_path);
  WriteString(json, "matching", result.matching);
  WriteInt(json, "batches", result.batches);
  if (!result.emulated.empty()) {
    WriteString(json, "emulated", result.emulated);
  }

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

  WriteReasons(json, "not_shadowed", result.not_shadowed);
  if (result.has_kernels) {
    WriteReasons(json, "no_reference", result.no_reference);
  }
  if (!result.emulated.empty()) {
    WriteReasons(json, "not_emulated", result.not_emulated);
  }

  if (const std::optional<size_t> worst = WorstOffender(result)) {
    WriteWorstOffender(json, result.layers[*worst]);
  }
  if (const std::optional<size_t> fall = FirstUnexplainedFall(result)) {
    WriteUnexplainedFall(json, result, *fall);
  }
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
  json.EndObject();
  return std::move(json).Finish();
}

}  // namespace ns
