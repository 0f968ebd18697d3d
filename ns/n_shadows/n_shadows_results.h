// Reads what the loggers of an n-shadows model have seen.
#ifndef NS_N_SHADOWS_N_SHADOWS_RESULTS_H_
#define NS_N_SHADOWS_N_SHADOWS_RESULTS_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

struct CandidateResult {
  // The index of the mapping that gave it (QConfigMultiMapping::mappings()).
  int candidate = 0;
  // The name of its qconfig (QConfigName).
  std::string qconfig;
  // The outputs of the float subgraph, x, and of the candidate, y, compared
  // over all calls. Empty where NShadowsOptions::logger made the logger.
  PairStatistics pooled;
  // The SQNR in dB of each call (reference: comparisons). Inside a loop, each
  // trip is a call. A logger of NShadowsOptions::logger gives its own figures
  // here.
  std::vector<double> call_sqnr_db;
  // The output of each call; empty unless the logger saves activations
  // (LoggersSetSaveActivations).
  std::vector<at::Tensor> values;
};

struct ShadowedSubgraph {
  // "subgraph_3", as the reference numbers them.
  std::string subgraph;
  // FloatSubgraph::name, "layer1.0.conv1", which is unique.
  std::string name;
  // The path of the module of the base op.
  std::string fqn;
  // The base op, "aten::conv2d", and the name of its node.
  std::string op;
  std::string node_name;
  // In the order of the mappings, without those that were skipped. One that
  // never ran has no calls.
  std::vector<CandidateResult> candidates;
  // The output of the float subgraph in each call; empty unless its logger
  // saves activations.
  std::vector<at::Tensor> values;
};

struct NShadowsResults {
  // In order of execution.
  std::vector<ShadowedSubgraph> subgraphs;
};

// Reads the loggers of `module` (reference: extract_results_n_shadows_model).
// Errors: a module that is no n-shadows model; a logger whose values cannot be
// read.
absl::StatusOr<NShadowsResults> ExtractResultsNShadowsModel(
    const torch::jit::Module& module);

// Returns a table with a row for each subgraph: node name, op, fqn, and the
// pooled SQNR in dB of candidates 0, 1, ...: "exact" where it is infinite, and
// "-" where there is no such candidate, it never ran, or its logger is of
// NShadowsOptions::logger. Lines below tell the qconfig of each candidate. (The
// reference prints the mean over calls.)
std::string ComparisonsNShadowsModel(const NShadowsResults& results);

// Writes that table to `out` (reference: print_comparisons_n_shadows_model).
void PrintComparisonsNShadowsModel(const NShadowsResults& results,
                                   std::ostream& out);

}  // namespace ns

#endif  // NS_N_SHADOWS_N_SHADOWS_RESULTS_H_
