// Defines a subgraph: a chain of nodes that is compared as one.
#ifndef PASSES_ANALYSIS_SUBGRAPH_H_
#define PASSES_ANALYSIS_SUBGRAPH_H_

#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// A linear chain of nodes such as conv-bn-relu or dequantize-linear-relu-to.
// The base op has the weights. Input loggers go in front of the start, output
// loggers behind the end. A Subgraph does not own the nodes.
//
// When an op is in both arms of a prim::If that only tells shapes apart
// (InstanceNorm, interpolate), start and end are the prim::If, and the base op
// is the one in its first arm.
struct Subgraph {
  torch::jit::Node* start = nullptr;
  torch::jit::Node* end = nullptr;
  torch::jit::Node* base = nullptr;
  // All nodes, in order of execution; mostly at most three: conv, batch norm,
  // relu.
  absl::InlinedVector<torch::jit::Node*, 3> nodes;
};

// Returns the data inputs (ir/graph/node_view.h) of the node that `subgraph`
// starts with: the values that flow in from outside. When that node is a
// prim::If, these are the values outside of it that the data inputs of the base
// op come from; behind them, each once, those of the ops of its family in the
// other arms: %b of `sigmoid(a) if p else sigmoid(b)`. A value and what it is
// dequantized from are one.
std::vector<torch::jit::Value*> DataInputsOf(const Subgraph& subgraph);

// Returns the op of the base, "aten::conv2d". Where the subgraph is a prim::If
// whose arms hold several ops of its family, only a run tells which of them it
// is: then it is what their names begin with, in whole words without the number
// of dimensions. It is "aten::upsample_nearest" for the prim::If in which
// interpolate tells upsample_nearest1d, 2d and 3d apart.
std::string OpOf(const Subgraph& subgraph);

}  // namespace ns

#endif  // PASSES_ANALYSIS_SUBGRAPH_H_
