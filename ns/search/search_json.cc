#include "ns/search/search_json.h"

#include <utility>

#include "ns/report/json_writer.h"

namespace ns {
namespace {

void WriteTop1(JsonWriter& json, const VerifiedRecipe& verified) {
  if (!verified.top1) {
    return;
  }
  const PairedCounts& counts = *verified.top1;
  json.Key("top1");
  json.BeginObject();
  json.Member("samples", counts.samples);
  json.Member("float_correct", counts.float_correct);
  json.Member("quantized_correct", counts.quantized_correct);
  json.Member("lost", counts.lost);
  json.Member("won", counts.won);
  json.Member("drop", counts.drop());
  json.Member("p_value", verified.p_value);
  json.EndObject();
}

void WriteLayer(JsonWriter& json, const SearchedLayer& layer) {
  json.BeginObject();
  json.Member("name", layer.name);
  json.Member("op", layer.op);
  json.Member("choice", layer.choice);
  json.Member("noise_share", layer.noise_share);
  json.Member("time_us", layer.time_us);
  json.Key("choices");
  json.BeginArray();
  for (const auto& [name, time_us] : layer.times_us) {
    json.BeginObject();
    json.Member("name", name);
    json.Member("time_us", time_us);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteSkipped(JsonWriter& json, const SkippedChoice& skipped) {
  json.BeginObject();
  json.Member("name", skipped.layer);
  json.Member("candidate", skipped.candidate);
  json.Member("reason", skipped.reason);
  json.EndObject();
}

void WritePoint(JsonWriter& json, const ParetoPoint& point) {
  json.BeginObject();
  json.Member("sqnr_db", point.sqnr_db);
  json.Member("time_us", point.time_us);
  json.Member("int8_layers", point.int8_layers);
  json.EndObject();
}

void WriteVerified(JsonWriter& json, const VerifiedRecipe& verified) {
  json.BeginObject();
  json.Member("predicted_db", verified.predicted_db);
  json.Member("measured_db", verified.measured_db);
  json.Member("predicted_us", verified.predicted_us);
  WriteTop1(json, verified);
  json.Key("keeps_budget");
  json.Bool(verified.keeps_budget);
  json.EndObject();
}

}  // namespace

std::string SearchJson(const SearchResult& result,
                       const std::string& float_path,
                       const std::string& out_path) {
  const VerifiedRecipe& chosen = result.verified[result.chosen];
  JsonWriter json;
  json.BeginObject();
  json.Member("schema", "ns.search/1");
  json.Member("float", float_path);
  json.Member("out", out_path);
  json.Member("batches", result.batches);
  json.Key("budget");
  json.BeginObject();
  if (result.budget_db) {
    json.Member("sqnr_db", *result.budget_db);
  }
  if (result.max_drop) {
    json.Member("max_drop", *result.max_drop);
  }
  json.EndObject();
  json.Member("candidates", result.candidates);
  json.List("layers", result.layers, WriteLayer);
  json.Key("rest");
  json.BeginObject();
  json.Member("noise_share", result.rest.noise_share);
  json.Member("time_us", result.rest.time_us);
  json.EndObject();
  json.List("skipped", result.skipped, WriteSkipped);
  json.List("pareto", result.pareto, WritePoint);
  json.List("verified", result.verified, WriteVerified);
  json.Key("predicted");
  json.BeginObject();
  json.Member("sqnr_db", chosen.predicted_db);
  json.Member("time_us", chosen.predicted_us);
  json.EndObject();
  json.Key("measured");
  json.BeginObject();
  json.Member("sqnr_db", chosen.measured_db);
  json.Member("time_us", result.measured_us);
  json.Member("float_time_us", result.float_us);
  json.Member("batches", result.measured_batches);
  WriteTop1(json, chosen);
  json.EndObject();
  json.Key("passes");
  json.BeginObject();
  json.Member("float", result.float_passes);
  json.Member("quantized", result.quantized_passes);
  json.EndObject();
  json.Member("warnings", result.warnings);
  json.EndObject();
  return std::move(json).Finish();
}

}  // namespace ns
