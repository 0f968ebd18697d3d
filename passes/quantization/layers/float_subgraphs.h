// Finds the subgraphs of a float model that quantization turns into one op
// each.
#ifndef PASSES_QUANTIZATION_LAYERS_FLOAT_SUBGRAPHS_H_
#define PASSES_QUANTIZATION_LAYERS_FLOAT_SUBGRAPHS_H_

#include <string>
#include <vector>

#include "ir/graph/layer_id.h"
#include "passes/analysis/subgraph.h"
#include "passes/ops/op_relations.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace torch::jit {
struct Graph;
struct Value;
}  // namespace torch::jit

namespace ns {

// A subgraph of a float model, with the facts of its base op that a
// QConfigMapping looks at.
struct FloatSubgraph : QConfigTarget {
  // Its place among the subgraphs that were found with it.
  LayerId id = LayerId(0);
  // The nodes.
  Subgraph subgraph;
  // The value that the subgraph computes: a tensor or a list of tensors.
  torch::jit::Value* output = nullptr;
  // A unique name: "layer1.0.conv1", "add", "fc@1" for the second call.
  std::string name;
};

// Whose quantized ops tell what a subgraph includes behind its first op.
enum class FusingOps {
  kAll,       // ns ops, too: a batch norm, and a relu or clamp
  kLibTorch,  // LibTorch's alone: a relu, behind most ops
  kFx,        // of those, the ones that prepare_fx fuses (fx_forms.h)
};

// Returns all subgraphs of `graph` that compute something, in order of
// execution, inside control flow too. Each is one op, together with what
// `fusing` includes behind it: with kAll, conv2d - batch_norm - relu, linear -
// relu, add - relu. Ops that only move data, dropout, and ops that are
// quantized already are left out.
std::vector<FloatSubgraph> FindFloatSubgraphs(
    torch::jit::Graph& graph, const OpRelations& relations = {},
    FusingOps fusing = FusingOps::kAll);

// Returns the one with `id` among `layers`, which are all that one search
// found.
const FloatSubgraph& LayerOf(const std::vector<FloatSubgraph>& layers,
                             LayerId id);

// Writes the ids of `layers` to their base ops (SetLayerId), so that the layers
// can be found in copies of their graph, and in what passes make of these.
void MarkLayers(const std::vector<FloatSubgraph>& layers);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_FLOAT_SUBGRAPHS_H_
