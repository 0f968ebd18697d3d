#include "passes/rewrite/packed_embedding.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/rewrite/bag_weights.h"
#include "passes/rewrite/kernel_ranks.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

bool IsBag(const Node& node) { return node.kind() != c10::aten::embedding; }

absl::StatusOr<Value*> Contiguous(Graph& graph, Value* value) {
  return InsertOp(graph, "aten::contiguous", {value});
}

}  // namespace

absl::Status CheckPackedEmbedding(const Node& node) {
  if (IsBag(node)) {
    for (size_t i = 1; i < node.outputs().size(); ++i) {
      if (!node.output(i)->uses().empty()) {
        return Refusal("more than its first output is used");
      }
    }
    NS_RETURN_IF_ERROR(CheckBagWeights(node));
  }
  return CheckTypeOf(*InputNamed(node, "indices"), CheckIndicesRank);
}

absl::StatusOr<Value*> InsertPackedEmbedding(const Node& node,
                                             const at::Tensor& table,
                                             Value& packed) {
  NS_RETURN_IF_ERROR(CheckPackedEmbedding(node));
  Graph& graph = *packed.owningGraph();
  const std::string op =
      absl::StrCat("quantized::", ShortOpName(OpName(node)),
                   table.scalar_type() == at::kQUInt8 ? "_byte" : "_4bit");
  NS_ASSIGN_OR_RETURN(Value * indices,
                      Contiguous(graph, InputNamed(node, "indices")));
  if (!IsBag(node)) {
    return InsertOp(graph, op, {&packed, indices, /*pruned_weights=*/false});
  }
  NS_ASSIGN_OR_RETURN(Value * weights, InsertBagWeights(node, table.size(0)));
  NS_ASSIGN_OR_RETURN(Value * offsets,
                      Contiguous(graph, InputNamed(node, "offsets")));
  // Whatever the mode is, the kernel adds rows up.
  return InsertOp(
      graph, op,
      {&packed, indices, offsets, InputNamed(node, "scale_grad_by_freq"),
       /*mode=*/0, /*pruned_weights=*/false, weights,
       /*compressed_indices_mapping=*/c10::IValue(),
       InputNamed(node, "include_last_offset")});
}

}  // namespace ns
