#include "ir/graph/verifier.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "ir/graph/verify_node.h"
#include "llvm/ADT/DenseSet.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;

// `node` may lack whatever a node of its kind has.
absl::Status Broken(const Node& node, absl::string_view why) {
  const std::string op = node.kind().toQualString();
  return absl::InternalError(absl::StrCat(
      op, " (", node.outputs().empty() ? op : ValueName(*node.outputs()[0]),
      ") ", why));
}

// Checks a block; `visible` holds what is defined so far in it and in the
// enclosing blocks.
absl::Status VerifyBlock(const Block* block,
                         llvm::DenseSet<const Value*> visible) {
  const auto check_uses = [&](const Node* node) {
    for (const Value* input : node->inputs()) {
      if (!visible.contains(input)) {
        return Broken(*node, absl::StrCat("uses ", ValueName(*input),
                                          " before it is defined"));
      }
    }
    return absl::OkStatus();
  };
  for (const Value* input : block->inputs()) {
    visible.insert(input);
  }
  for (const Node* node : block->nodes()) {
    NS_RETURN_IF_ERROR(check_uses(node));
    if (const absl::Status status = VerifyNode(*node); !status.ok()) {
      return Broken(*node, status.message());
    }
    for (const Block* inner : node->blocks()) {
      NS_RETURN_IF_ERROR(VerifyBlock(inner, visible));
    }
    for (const Value* output : node->outputs()) {
      visible.insert(output);
    }
  }
  return check_uses(block->return_node());
}

}  // namespace

absl::Status VerifyGraph(const torch::jit::Graph& graph) {
  NS_RETURN_IF_ERROR(VerifyBlock(graph.block(), {}));
  const absl::Status lint =
      CatchTorchErrors("verifying the graph", [&] { graph.lint(); });
  return lint.ok() ? lint : absl::InternalError(lint.message());
}

}  // namespace ns
