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
  // Which mapping it is from, from 0.
  int candidate = 0;
  // QConfigName.
  std::string qconfig;
  // Against the float subgraph, x being its output: over all calls, and the
  // SQNR in dB of each call (reference: comparisons). Several calls in a batch
  // are trips of a loop. Of a logger of yours, `pooled` is empty, and the
  // others are what it returns (NShadowsOptions::logger).
  PairStatistics pooled;
  std::vector<double> call_sqnr_db;
  // What the candidate computed, where activations are saved.
  std::vector<at::Tensor> values;
};

struct ShadowedSubgraph {
  // "subgraph_3", as the reference numbers them.
  std::string subgraph;
  // Unique: "layer1.0.conv1".
  std::string name;
  std::string fqn;
  // The base op, "aten::conv2d", and the name of what it computes.
  std::string op;
  std::string node_name;
  // Those that exist, in order. Candidates that never ran have no calls.
  std::vector<CandidateResult> candidates;
  // What the float subgraph computed, where activations are saved.
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

// A row a subgraph: node, op, fqn, and the pooled SQNR of candidates 0, 1, ...
// in dB; "-" where there is no such candidate or it never ran. Which qconfig a
// candidate is follows below. (The reference prints the mean over calls.)
std::string ComparisonsNShadowsModel(const NShadowsResults& results);

// Writes the above to `out` (reference: print_comparisons_n_shadows_model).
void PrintComparisonsNShadowsModel(const NShadowsResults& results,
                                   std::ostream& out);

}  // namespace ns

#endif  // NS_N_SHADOWS_N_SHADOWS_RESULTS_H_
