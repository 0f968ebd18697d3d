// What quantization would make one op of, in a float model.
#ifndef PASSES_QUANTIZATION_FLOAT_SUBGRAPHS_H_
#define PASSES_QUANTIZATION_FLOAT_SUBGRAPHS_H_

#include <string>
#include <vector>

#include "passes/analysis/subgraph.h"
#include "passes/ops/op_relations.h"
#include "passes/quantization/qconfig_mapping.h"

namespace torch::jit {
struct Graph;
struct Value;
}  // namespace torch::jit

namespace ns {

// What a QConfigMapping looks at is that of the base op.
struct FloatSubgraph : QConfigTarget {
  Subgraph subgraph;
  // What it computes: a tensor or a list of tensors.
  torch::jit::Value* output = nullptr;
  // Unique: "layer1.0.conv1", "add", "fc@1" for the second call.
  std::string name;
};

// All subgraphs of `graph` that compute something, in order of execution,
// inside control flow too. Each is one op with the batch norm and the relu
// behind it that a quantized op takes in: conv2d - batch_norm - relu, linear -
// relu, add - relu. Left out are ops that only move data, dropout, and ops that
// are quantized already.
std::vector<FloatSubgraph> FindFloatSubgraphs(
    torch::jit::Graph& graph, const OpRelations& relations = {});

}  // namespace ns

#endif  // PASSES_QUANTIZATION_FLOAT_SUBGRAPHS_H_
