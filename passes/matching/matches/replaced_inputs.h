// Finds matched ops that get their input from different ops in the two models.
#ifndef PASSES_MATCHING_MATCHES_REPLACED_INPUTS_H_
#define PASSES_MATCHING_MATCHES_REPLACED_INPUTS_H_

#include <string>
#include <vector>

#include "passes/matching/graph_matcher.h"

namespace ns {

// Returns, for each of `matches`, which ops its input comes from, if these have
// no counterpart in the other model: ops that compute it in both models, or an
// op of one model that pads, cuts or reorders its elements. Empty for other
// matches, and where SubgraphMatch::unpaired_input already has a reason. The
// ops may compute the same, as when one model has a single op for what the
// other writes out; but where the values differ, suspect them first.
//
//   A: %c = conv2d(%x); %e = relu(%c);  %l = linear(%e)
//   B: %c = conv2d(%x); %e = relu6(%c); %l = linear(%e)
//   ->  of the linear layers, "its input comes from 'act' (aten::relu) in the
//       float model and from 'act' (aten::relu6) in the quantized model"
std::vector<std::string> ReplacedInputs(const MatchResult& matches);

}  // namespace ns

#endif  // PASSES_MATCHING_MATCHES_REPLACED_INPUTS_H_
