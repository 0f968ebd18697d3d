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

// Walks a graph and checks its nodes.
class Verifier {
 public:
  absl::Status VerifyBlock(const Block& block) {
    Define(block.inputs());
    for (const Node* node : block.nodes()) {
      NS_RETURN_IF_ERROR(CheckInputs(*node));
      if (const absl::Status status = VerifyNode(*node); !status.ok()) {
        return Broken(*node, status.message());
      }
      for (const Block* inner : node->blocks()) {
        NS_RETURN_IF_ERROR(VerifyBlock(*inner));
      }
      Define(node->outputs());
    }
    NS_RETURN_IF_ERROR(CheckInputs(*block.return_node()));
    Leave(block);
    return absl::OkStatus();
  }

  // Whether the values have as many uses as the nodes have inputs. A node that
  // was created and never inserted uses values, too.
  bool CountsMatch() const { return uses_ == inputs_; }

 private:
  absl::Status CheckInputs(const Node& node) {
    inputs_ += node.inputs().size();
    for (const Value* input : node.inputs()) {
      if (!visible_.contains(input)) {
        return Broken(node, absl::StrCat("uses ", ValueName(*input),
                                         " before it is defined"));
      }
    }
    return absl::OkStatus();
  }

  void Define(at::ArrayRef<const Value*> values) {
    for (const Value* value : values) {
      visible_.insert(value);
      uses_ += value->uses().size();
    }
  }

  // Hides the values of `block` from the nodes after it.
  void Leave(const Block& block) {
    if (block.owningNode() == nullptr) {
      return;
    }
    const auto hide = [&](at::ArrayRef<const Value*> values) {
      for (const Value* value : values) {
        visible_.erase(value);
      }
    };
    hide(block.inputs());
    for (const Node* node : block.nodes()) {
      hide(node->outputs());
    }
  }

  // What is defined so far in the block at hand and in the enclosing blocks.
  llvm::DenseSet<const Value*> visible_;
  size_t uses_ = 0;
  size_t inputs_ = 0;
};

// Whether LibTorch's own check runs each time, which takes the square of the
// number of uses of one value.
#ifdef NDEBUG
constexpr bool kAlwaysLint = false;
#else
constexpr bool kAlwaysLint = true;
#endif

}  // namespace

absl::Status VerifyGraph(const torch::jit::Graph& graph) {
  Verifier verifier;
  NS_RETURN_IF_ERROR(verifier.VerifyBlock(*graph.block()));
  if (verifier.CountsMatch() && !kAlwaysLint) {
    return absl::OkStatus();
  }
  const absl::Status lint =
      CatchTorchErrors("verifying the graph", [&] { graph.lint(); });
  if (!lint.ok()) {
    return absl::InternalError(lint.message());
  }
  return verifier.CountsMatch()
             ? absl::OkStatus()
             : absl::InternalError(
                   "a node outside of the graph uses its values");
}

}  // namespace ns
