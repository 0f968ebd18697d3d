// Describes what the layers of two models are made of: biases, scales, and
// weights that belong to another layer.
#ifndef NS_SUITE_LAYER_PARAMETERS_H_
#define NS_SUITE_LAYER_PARAMETERS_H_

#include <vector>

#include "ns/result/comparison_result.h"
#include "passes/analysis/value_facts.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Sets LayerComparison::bias, has_weight_of, shares_weight_with and qparams of
// `layers`, which are those of `matches` in the same order. `facts` are those
// of the graph of model B.
//
// A layer has the weight of another one where the SQNR of its weight is below 3
// dB, and where the quantized weight has more than 10 dB against the float
// weight of that layer. LayerComparison::weights must be set before the call.
// Of the other layers, only those below 3 dB are tried: when two layers are
// swapped, both are. With more than 32 of them the models are too different,
// and none is tried. Layers with several weights, and what cannot be read or
// compared, are left out.
//
// A layer shares its weight with another one where both are calls of one
// module, the quantized model computes both with the same weight, and its
// weight has less than 10 dB while that of the other has more: what follows the
// other call was folded into it.
void DescribeParameters(const ValueFacts& facts, const MatchResult& matches,
                        std::vector<LayerComparison>& layers);

}  // namespace ns

#endif  // NS_SUITE_LAYER_PARAMETERS_H_
