#include "ns/n_shadows/sensitivity_json.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ns/report/json_writer.h"
#include "ns/suite/metrics.h"

namespace ns {
namespace {

void WriteCandidate(JsonWriter& json, const CandidateResult& candidate) {
  json.BeginObject();
  json.Member("name", candidate.qconfig);
  for (const Metric& metric : Metrics()) {
    json.Member(metric.name, (candidate.pooled.*metric.value)());
  }
  json.Member("call_sqnr_db", candidate.call_sqnr_db);
  json.EndObject();
}

void WriteLayer(JsonWriter& json, const SensitivityReport& report,
                size_t index) {
  const ShadowedSubgraph& layer = report.sensitivity.layers[index];
  json.BeginObject();
  json.Member("name", layer.name);
  json.Member("fqn", layer.fqn);
  json.Member("op", layer.op);
  json.Key("candidates");
  json.BeginArray();
  for (const CandidateResult& candidate : layer.candidates) {
    WriteCandidate(json, candidate);
  }
  json.EndArray();
  if (report.plan) {
    json.Member("use", UseOf(report, index));
  }
  json.EndObject();
}

void WriteBudget(JsonWriter& json, const SensitivityReport& report) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < report.sensitivity.layers.size(); ++i) {
    if (StaysInFloat(report, i)) {
      kept.push_back(report.sensitivity.layers[i].name);
    }
  }
  json.Key("budget");
  json.BeginObject();
  json.Member("sqnr_db", report.plan->sqnr_db);
  json.Member("keep_in_float", kept);
  json.EndObject();
}

}  // namespace

std::string SensitivityJson(const SensitivityReport& report) {
  const Sensitivity& sensitivity = report.sensitivity;
  JsonWriter json;
  json.BeginObject();
  json.Member("schema", "ns.sensitivity/1");
  json.Member("float", sensitivity.float_path);
  json.Member("batches", sensitivity.batches);
  std::vector<std::string> candidates;
  for (const QConfig& qconfig : sensitivity.candidates) {
    candidates.push_back(QConfigName(qconfig));
  }
  json.Member("candidates", candidates);
  json.Key("layers");
  json.BeginArray();
  for (size_t i = 0; i < sensitivity.layers.size(); ++i) {
    WriteLayer(json, report, i);
  }
  json.EndArray();
  if (report.plan) {
    WriteBudget(json, report);
  }
  json.Key("skipped");
  json.BeginArray();
  for (const SkippedCandidate& skipped : sensitivity.skipped) {
    json.BeginObject();
    json.Member("name", skipped.subgraph);
    json.Member("candidate", skipped.candidate);
    json.Member("reason", skipped.reason);
    json.EndObject();
  }
  json.EndArray();
  json.Member("never_ran", sensitivity.never_ran);
  json.EndObject();
  return std::move(json).Finish();
}

}  // namespace ns
