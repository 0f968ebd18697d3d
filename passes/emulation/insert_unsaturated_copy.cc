#include "passes/emulation/insert_unsaturated_copy.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/algorithm/container.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "passes/analysis/saturation_check.h"
#include "passes/rewrite/copy_subgraph.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

absl::StatusOr<Value*> InsertUnsaturatedCopy(ModelGraph& host,
                                             const Subgraph& subgraph,
                                             const Value& output) {
  const std::optional<SaturationCheck> check = CheckSaturation(*subgraph.base);
  if (!check || !check->IsPossible() ||
      !absl::c_linear_search(subgraph.nodes, subgraph.base)) {
    return nullptr;
  }
  NS_ASSIGN_OR_RETURN(
      const CopiedSubgraph copy,
      CopySubgraph(host, subgraph, output, DataInputsOf(subgraph), host,
                   subgraph.start));
  NS_RETURN_IF_ERROR(CatchTorchErrors("copying a layer", [&] {
    Node* base = copy.subgraph.base;
    const FbgemmLayer exact =
        LayerOf(*base)->With(kernels::SaturationMode::kExact);
    torch::jit::WithInsertPoint in_front(base);
    base->replaceInput(1, host.graph().insertConstant(exact.ToIValue()));
  }));
  return copy.output;
}

}  // namespace ns
