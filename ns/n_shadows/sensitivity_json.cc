#include "ns/n_shadows/sensitivity_json.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ir/json/json_map.h"
#include "ir/json/write_json.h"
#include "ns/result/metrics.h"

namespace ns {
namespace {

// A layer, and what the plan uses for it; nothing without a plan.
struct PlannedLayer {
  const ShadowedSubgraph* layer = nullptr;
  std::optional<std::string> use;
};

struct BudgetSummary {
  double sqnr_db = 0;
  std::vector<std::string> keep_in_float;
};

template <typename Io>
void Map(Io& io, PlannedLayer& planned) {
  io("name", planned.layer->name);
  io("fqn", planned.layer->fqn);
  io("op", planned.layer->op);
  io("candidates", planned.layer->candidates);
  io.Optional("use", planned.use);
}

template <typename Io>
void Map(Io& io, BudgetSummary& budget) {
  io("sqnr_db", budget.sqnr_db);
  io("keep_in_float", budget.keep_in_float);
}

std::vector<std::string> NamesOf(const std::vector<QConfig>& qconfigs) {
  std::vector<std::string> names;
  for (const QConfig& qconfig : qconfigs) {
    names.push_back(QConfigName(qconfig));
  }
  return names;
}

std::vector<PlannedLayer> PlannedLayers(const SensitivityReport& report) {
  std::vector<PlannedLayer> layers;
  for (size_t i = 0; i < report.sensitivity.layers.size(); ++i) {
    PlannedLayer& planned = layers.emplace_back();
    planned.layer = &report.sensitivity.layers[i];
    if (report.plan) {
      planned.use = UseOf(report, i);
    }
  }
  return layers;
}

std::optional<BudgetSummary> BudgetOf(const SensitivityReport& report) {
  if (!report.plan) {
    return std::nullopt;
  }
  BudgetSummary budget = {report.plan->sqnr_db, {}};
  for (size_t i = 0; i < report.sensitivity.layers.size(); ++i) {
    if (StaysInFloat(report, i)) {
      budget.keep_in_float.push_back(report.sensitivity.layers[i].name);
    }
  }
  return budget;
}

}  // namespace

template <typename Io>
void Map(Io& io, CandidateResult& candidate) {
  io("name", candidate.qconfig);
  for (const Metric& metric : Metrics()) {
    io.Derived(metric.name, [&] { return (candidate.pooled.*metric.value)(); });
  }
  io("call_sqnr_db", candidate.call_sqnr_db);
}

template <typename Io>
void Map(Io& io, SkippedCandidate& skipped) {
  io("name", skipped.subgraph);
  io("candidate", skipped.candidate);
  io("reason", skipped.reason);
}

template <typename Io>
void Map(Io& io, SensitivityReport& report) {
  Sensitivity& sensitivity = report.sensitivity;
  io.Schema("ns.sensitivity/1", "what ns sensitivity --json wrote");
  io("float", sensitivity.float_path);
  io("batches", sensitivity.batches);
  io.Derived("candidates", [&] { return NamesOf(sensitivity.candidates); });
  io.Derived("layers", [&] { return PlannedLayers(report); });
  io.Derived("budget", [&] { return BudgetOf(report); });
  io("skipped", sensitivity.skipped);
  io("never_ran", sensitivity.never_ran);
}

std::string SensitivityJson(const SensitivityReport& report) {
  return WriteJson(report);
}

}  // namespace ns
