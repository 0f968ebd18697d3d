// Finds ops that draw random numbers, so that a second run gives other results.
#ifndef PASSES_ANALYSIS_RANDOM_OPS_H_
#define PASSES_ANALYSIS_RANDOM_OPS_H_

#include <vector>

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ns {

// True for an op that draws random numbers each time it runs: one that takes a
// generator, such as aten::normal_, or that LibTorch lists as
// non-deterministic, such as aten::randn_like. Ops that do so in training
// alone, such as dropout, count only with ComputesAsInTraining, and only with a
// probability that is not 0.
bool IsRandom(const torch::jit::Node& node);

// True for an op that is told, by a constant, to compute as in training:
// aten::dropout that drops, aten::batch_norm that normalizes with the figures
// of the batch. A model that is traced in training mode has such ops whatever
// mode it runs in.
bool ComputesAsInTraining(const torch::jit::Node& node);

// Returns the nodes of `graph` that are random, or compute as in training, in
// order, with those inside control flow.
std::vector<torch::jit::Node*> RandomOps(torch::jit::Graph& graph);
std::vector<torch::jit::Node*> TrainingOps(torch::jit::Graph& graph);

}  // namespace ns

#endif  // PASSES_ANALYSIS_RANDOM_OPS_H_
