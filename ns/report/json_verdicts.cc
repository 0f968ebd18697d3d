#include "ns/report/json_verdicts.h"

#include "ns/report/limit_text.h"
#include "ns/suite/accuracy.h"

namespace ns {
namespace {

void WriteBaseline(JsonWriter& json, const BaselineLayers& baseline) {
  json.Key("baseline");
  json.BeginObject();
  json.Member("path", baseline.path);
  json.Member("new", baseline.added);
  json.Member("vanished", baseline.vanished);
  json.EndObject();
}

void WriteFlip(JsonWriter& json, const Flip& flip) {
  json.BeginObject();
  json.Member("batch", flip.batch);
  json.Member("sample", flip.sample);
  json.Member("label", flip.label);
  json.Member("float", flip.float_class);
  json.Member("quantized", flip.quantized_class);
  json.Member("float_margin", flip.float_margin);
  json.Member("quantized_margin", flip.quantized_margin);
  json.EndObject();
}

void WriteAccuracy(JsonWriter& json, const Accuracy& accuracy) {
  json.Key("accuracy");
  json.BeginObject();
  json.Member("samples", accuracy.samples);
  json.Member("float_top1", accuracy.float_top1);
  json.Member("quantized_top1", accuracy.quantized_top1);
  json.Member("agreement", accuracy.agreement);
  json.Member("difference", accuracy.difference);
  json.Member("interval", std::vector<double>{accuracy.lowest_difference,
                                              accuracy.highest_difference});
  json.Member("lost", accuracy.lost);
  json.Member("won", accuracy.won);
  json.Member("flipped", accuracy.flipped);
  json.Key("flips");
  json.BeginArray();
  for (const Flip& flip : accuracy.flips) {
    WriteFlip(json, flip);
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

void WriteLimits(JsonWriter& json, const std::vector<LimitCheck>& checks) {
  json.Key("limits");
  json.BeginArray();
  for (const LimitCheck& check : checks) {
    json.BeginObject();
    json.Member("limit", LimitName(check.kind));
    if (!check.layer.empty()) {
      json.Member("layer", check.layer);
    }
    if (!check.output.empty()) {
      json.Member("output", check.output);
    }
    if (!check.figure.empty()) {
      json.Member("figure", check.figure);
    }
    json.Member("value", check.value);
    json.Member("bound", check.bound);
    if (check.kind == LimitKind::kMaxDrop) {
      json.Member("tolerance", check.tolerance);
    }
    json.Key("passed");
    json.Bool(check.passed);
    json.EndObject();
  }
  json.EndArray();
}

void WriteVerdicts(JsonWriter& json, const ComparisonResult& result) {
  if (result.limits.has_value()) {
    WriteLimits(json, *result.limits);
  }
  if (result.baseline.has_value()) {
    WriteBaseline(json, *result.baseline);
  }
  if (result.accuracy.has_value()) {
    WriteAccuracy(json, *result.accuracy);
  }
}

}  // namespace ns
