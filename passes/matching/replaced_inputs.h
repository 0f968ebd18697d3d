// Finds matched ops that get their input from different ops in the two models.
#ifndef PASSES_MATCHING_REPLACED_INPUTS_H_
#define PASSES_MATCHING_REPLACED_INPUTS_H_

#include <string>
#include <vector>

#include "passes/matching/graph_matcher.h"

namespace ns {

// Returns for each of `matches` what flows in instead of what: an input comes,
// in both models, from an op without a counterpart, or in one model alone it
// goes through an op without a counterpart that pads, cuts or reorders
// elements. Empty where neither is so, and where SubgraphMatch::unpaired_input
// has a reason already. Such ops may well compute the same, as when one model
// writes out what the other has an op for; but where the values differ, they
// are the first to be suspected.
//
//   A: %c = conv2d(%x); %e = relu(%c);  %l = linear(%e)
//   B: %c = conv2d(%x); %e = relu6(%c); %l = linear(%e)
//   ->  of the linear layers, "its input comes from 'act' (aten::relu) in the
//       float model and from 'act' (aten::relu6) in the quantized model"
std::vector<std::string> ReplacedInputs(const MatchResult& matches);

}  // namespace ns

#endif  // PASSES_MATCHING_REPLACED_INPUTS_H_
