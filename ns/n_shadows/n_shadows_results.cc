#include "ns/n_shadows/n_shadows_results.h"

#include <torch/csrc/jit/api/object.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ns/n_shadows/shadow_attributes.h"
#include "ns/report/table/text_table.h"
#include "ns/result/printable.h"
#include "passes/instrument/logger_info.h"
#include "passes/runtime/loggers/output_comparison_logger.h"
#include "passes/runtime/loggers/output_logger.h"

namespace ns {
namespace {

// What a logger of the user's has gathered.
absl::Status ReadUsersLogger(const c10::IValue& logger,
                             CandidateResult& result) {
  NS_ASSIGN_OR_RETURN(const c10::IValue stats, ReadStats(logger));
  return CatchTorchErrors([&] {
    if (!stats.isNone()) {
      result.values = stats.toTensorVector();
    }
    torch::jit::Object object(logger.toObject());
    if (object.find_method("get_comparisons")) {
      result.call_sqnr_db =
          object.get_method("get_comparisons")({}).toDoubleVector();
    }
  });
}

absl::StatusOr<CandidateResult> ResultOf(const AttachedLogger& attached,
                                         int candidate,
                                         const std::string& qconfig) {
  CandidateResult result;
  result.candidate = candidate;
  result.qconfig = qconfig;
  const c10::ClassTypePtr ours =
      c10::getCustomClassType<c10::intrusive_ptr<OutputComparisonLogger>>();
  if (!attached.object.type()->isSubtypeOf(*ours)) {
    NS_RETURN_IF_ERROR(
        Annotated(absl::StrCat("reading the logger of ", attached.info.layer),
                  ReadUsersLogger(attached.object, result)));
    return result;
  }
  const auto logger = attached.object.toCustomClass<OutputComparisonLogger>();
  result.pooled = logger->Pooled();
  for (const PairStatistics& call : logger->comparisons()) {
    result.call_sqnr_db.push_back(call.SqnrDb());
  }
  result.values = logger->stats();
  return result;
}

ShadowedSubgraph SubgraphOf(const AttachedLogger& attached, int index) {
  ShadowedSubgraph subgraph;
  subgraph.subgraph = absl::StrCat("subgraph_", index);
  subgraph.name = attached.info.layer;
  subgraph.fqn = attached.info.fqn;
  subgraph.op = attached.info.ref_node_target_type;
  subgraph.node_name = attached.info.ref_node_name;
  subgraph.values = attached.object.toCustomClass<OutputLogger>()->Stats();
  return subgraph;
}

std::string SqnrText(const CandidateResult& candidate) {
  // A logger of the user's has its own figures.
  if (candidate.call_sqnr_db.empty() || candidate.pooled.count == 0) {
    return "-";
  }
  const double db = candidate.pooled.SqnrDb();
  return std::isinf(db)   ? (db > 0 ? "exact" : "-inf")
         : std::isnan(db) ? "nan"
                          : absl::StrFormat("%.1f", db);
}

Column TextColumn(const std::string& heading) {
  return Column{{{"", ""}, {heading, ""}}};
}

}  // namespace

absl::StatusOr<NShadowsResults> ExtractResultsNShadowsModel(
    const torch::jit::Module& module) {
  const auto names = AttachedCandidateNames(module);
  if (!names) {
    return absl::InvalidArgumentError(
        "the module is no n-shadows model; make one with "
        "PrepareNShadowsModel");
  }
  NShadowsResults results;
  // The float logger of a subgraph comes first.
  for (const AttachedLogger& attached : AttachedLoggers(module)) {
    const std::string& model_name = attached.info.model_name;
    const std::optional<ShadowIndex> index = ParseShadowModelName(model_name);
    if (!index) {
      continue;
    }
    if (index->candidate == 0) {
      results.subgraphs.push_back(SubgraphOf(attached, index->subgraph));
      continue;
    }
    const auto name = names->find(model_name);
    if (name != names->end() && !results.subgraphs.empty()) {
      NS_ASSIGN_OR_RETURN(
          CandidateResult result,
          ResultOf(attached, index->candidate - 1, name->second));
      results.subgraphs.back().candidates.push_back(std::move(result));
    }
  }
  return results;
}

std::string ComparisonsNShadowsModel(const NShadowsResults& results) {
  // All qconfigs that a candidate number stands for.
  std::map<int, std::set<std::string>> legend;
  for (const ShadowedSubgraph& subgraph : results.subgraphs) {
    for (const CandidateResult& candidate : subgraph.candidates) {
      legend[candidate.candidate].insert(candidate.qconfig);
    }
  }
  std::vector<Column> columns = {TextColumn("node_name"),
                                 TextColumn("node_type"), TextColumn("fqn")};
  const int count = legend.empty() ? 0 : legend.rbegin()->first + 1;
  for (int i = 0; i < count; ++i) {
    columns.push_back(TextColumn(absl::StrCat(i)));
    columns.back().align_right = true;
  }
  for (const ShadowedSubgraph& subgraph : results.subgraphs) {
    columns[0].cells.push_back({Printable(subgraph.node_name), ""});
    columns[1].cells.push_back({Printable(subgraph.op), ""});
    columns[2].cells.push_back({Printable(subgraph.fqn), ""});
    std::vector<std::string> cells(count, "-");
    for (const CandidateResult& candidate : subgraph.candidates) {
      cells[candidate.candidate] = SqnrText(candidate);
    }
    for (int i = 0; i < count; ++i) {
      columns[3 + i].cells.push_back({cells[i], ""});
    }
  }
  std::string text =
      Render(columns, FitWidths(columns, /*limit=*/0), /*color=*/false);
  for (const auto& [candidate, qconfigs] : legend) {
    absl::StrAppend(&text, candidate, ": ", absl::StrJoin(qconfigs, ", or "),
                    "\n");
  }
  return text;
}

void PrintComparisonsNShadowsModel(const NShadowsResults& results,
                                   std::ostream& out) {
  out << ComparisonsNShadowsModel(results);
}

}  // namespace ns
