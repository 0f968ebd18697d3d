// A run of nodes that is compared as one.
#ifndef PASSES_ANALYSIS_SUBGRAPH_H_
#define PASSES_ANALYSIS_SUBGRAPH_H_

#include <vector>

#include "absl/container/inlined_vector.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// A linear chain of nodes such as conv-bn-relu or dequantize-linear-relu-to.
// Weights belong to the base op, input loggers go before the start, output
// loggers after the end. Does not own the nodes.
//
// Where an op stands in both arms of a prim::If that only tells shapes apart
// (InstanceNorm, interpolate), start and end are the prim::If and the base op
// is the one in its first arm.
struct Subgraph {
  torch::jit::Node* start = nullptr;
  torch::jit::Node* end = nullptr;
  torch::jit::Node* base = nullptr;
  // All of them, in order of execution; mostly conv, batch norm, relu.
  absl::InlinedVector<torch::jit::Node*, 3> nodes;
};

// The data inputs (ir/node_view.h) of the node that `subgraph` starts with:
// what flows in from outside. Where that is a prim::If, those of the base op in
// it, as they are outside.
std::vector<torch::jit::Value*> DataInputsOf(const Subgraph& subgraph);

}  // namespace ns

#endif  // PASSES_ANALYSIS_SUBGRAPH_H_
