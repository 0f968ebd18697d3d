// Pairs the output tensors of both subgraphs of a match.
#ifndef PASSES_MATCHING_MATCHED_OUTPUTS_H_
#define PASSES_MATCHING_MATCHED_OUTPUTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "passes/analysis/op_outputs.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Two tensors that correspond.
struct MatchedOutput {
  // The position among the tensors that the op of B returns, once the one that
  // is compared first is moved to the front: that one has index 0.
  size_t index = 0;
  // The name that a user sees (see OutputName); empty where B's op returns no
  // other tensor.
  std::string name;
  OutputTensor a;
  OutputTensor b;
};

// Returns the pairs that are compared at `match`. The first is
// MatchedSide::output, or the first tensor in it; the others come in the order
// of B: an LSTM has its output, h_n and c_n. Outputs of two ops correspond by
// position, those of two prim::If as PairResults says (control_flow_results.h).
// Tensors that only one side returns are left out. Quantize points have one
// output.
std::vector<MatchedOutput> MatchedOutputs(const SubgraphMatch& match);

}  // namespace ns

#endif  // PASSES_MATCHING_MATCHED_OUTPUTS_H_
