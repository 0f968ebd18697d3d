// Pairs the output tensors of both subgraphs of a match.
#ifndef PASSES_MATCHING_MATCHES_MATCHED_OUTPUTS_H_
#define PASSES_MATCHING_MATCHES_MATCHED_OUTPUTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "passes/analysis/op_outputs.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Two tensors that correspond. A is the float model, and B the quantized one.
struct MatchedOutput {
  // Which of the tensors that the op of B returns it is. The one that is
  // compared first has index 0, wherever it stands; the others follow in their
  // order.
  size_t index = 0;
  // The name that a user sees (OutputName in passes/analysis/op_outputs.h);
  // empty where B's op returns one tensor only.
  std::string name;
  OutputTensor a;
  OutputTensor b;
};

// Returns the pairs that are compared at `match`, at least one. The first is
// MatchedSide::output of both sides, or the first tensor in it, or all elements
// of a list where CountElements does not tell them apart. The others come in
// the order of B: an LSTM has its output, h_n and c_n. Outputs of two ops
// correspond by position, and those of two prim::If as PairResults says
// (control_flow_results.h). Where only one side is a prim::If, only the first
// are paired. Tensors that only one side returns are left out. A match with
// is_quantize_point has one pair.
std::vector<MatchedOutput> MatchedOutputs(const SubgraphMatch& match);

}  // namespace ns

#endif  // PASSES_MATCHING_MATCHES_MATCHED_OUTPUTS_H_
