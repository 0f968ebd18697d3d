// Measures how much of the error of a model's outputs comes from each layer.
#ifndef NS_SUITE_OUTPUT_SHARES_H_
#define NS_SUITE_OUTPUT_SHARES_H_

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/result/comparison_result.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Sets LayerComparison::output_share. With e the error of an output (quantized
// minus float), e_i the local error of layer i, and J_i what the output changes
// by with the value of that layer,
//
//   e     = sum over layers of J_i e_i
//   share = <e, J_i e_i> / |e|^2
//
// summed over samples, and over outputs relative to the power of each. J_i is
// that of the values halfway between those of both models, where the first
// formula is exact for layers of second order; the sum of shares says how far
// it holds. Shares are below 0 where an error makes up for others. One backward
// run gives all of them: this is attribution by gradients along the way from
// the float model to the quantized one, as Integrated Gradients do it
// (Sundararajan et al., 2017), with one step.
//
// One batch counts, and more while the outputs so far have less than 1,000
// elements, 8 at most, spread over all: each takes four runs, one of them with
// gradients, and memory for about five times all activations. So of large
// batches only the first samples run, with 16 million elements in all layers,
// and there are no shares where one sample has 128 million. The models are not
// changed. `matched` has their matches, one for each layer of `result`.
// Layers of which a run alone tells how often they run, such as those in loops
// that the models leave at different times, have a share of 0. None is known of
// layers whose outputs are inside lists or nested tuples, nor of those that
// take such outputs with an error, which would count as theirs.
//
// Error: a batch that cannot be read, an op that cannot be differentiated;
// `result` is then as before. So it is where no output has an error.
absl::Status MeasureOutputShares(const ModelGraph& float_model,
                                 const ModelGraph& quantized_model,
                                 const MatchResult& matched,
                                 const BatchReader& batches,
                                 ComparisonResult& result);

}  // namespace ns

#endif  // NS_SUITE_OUTPUT_SHARES_H_
