// Makes the graph that two models are put into: its inputs and what it returns.
#ifndef PASSES_INSTRUMENT_PAIR_PAIR_HOST_H_
#define PASSES_INSTRUMENT_PAIR_PAIR_HOST_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/pair/interleave.h"
#include "passes/rewrite/copy_subgraph.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Makes a model without nodes that has the inputs of `a`, then those of `b` at
// the positions `own_inputs_of_b` (OwnInputsOfB of shared_inputs.h). All other
// inputs of `b` are those of `a` at the same positions. Both models are
// attributes of the new one. Error: that of ModelGraph::FromGraph, where the
// first of these inputs is a module.
absl::StatusOr<ModelGraph> MakePairHost(
    const ModelGraph& a, const ModelGraph& b,
    const std::vector<size_t>& own_inputs_of_b);

// Notes which value of `host`, which MakePairHost made, stands for each input
// of either model, the module among them. `counterparts` maps each input of A
// to the value for that input of B which has the same position and type.
void ConnectInputs(const ModelGraph& a, const ModelGraph& b,
                   const std::vector<size_t>& own_inputs_of_b, ModelGraph& host,
                   GraphCopies& copies_a, GraphCopies& copies_b,
                   ValueCounterparts& counterparts);

// Makes `host` return the tuple of both; None stands for a null `of_a`.
void ReturnBoth(torch::jit::Value* of_a, torch::jit::Value* of_b,
                ModelGraph& host);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_PAIR_HOST_H_
