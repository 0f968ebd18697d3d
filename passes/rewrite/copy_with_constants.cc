#include "passes/rewrite/copy_with_constants.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/insert_op.h"
#include "passes/rewrite/copy_subgraph.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

absl::StatusOr<Value*> CopyWithConstants(
    ModelGraph& host, const Subgraph& subgraph, const Value& output,
    absl::Span<const ConstantInput> inputs) {
  if (!absl::c_linear_search(subgraph.nodes, subgraph.base)) {
    return nullptr;
  }
  return InsertOrTakeBack(*subgraph.start, [&]() -> absl::StatusOr<Value*> {
    NS_ASSIGN_OR_RETURN(
        const CopiedSubgraph copy,
        CopySubgraph(host, subgraph, output, DataInputsOf(subgraph), host,
                     subgraph.start));
    NS_RETURN_IF_ERROR(CatchTorchErrors("copying a layer", [&] {
      Node* const base = copy.subgraph.base;
      const torch::jit::WithInsertPoint in_front(base);
      for (const ConstantInput& input : inputs) {
        base->replaceInput(input.index,
                           host.graph().insertConstant(input.value));
      }
    }));
    return copy.output;
  });
}

}  // namespace ns
