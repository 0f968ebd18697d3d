#include "passes/matching/strict_matcher.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/ops/fusion_patterns.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// A subgraph as the indices of its matchable nodes, from base op to end.
using Chain = std::vector<int>;

bool CarriesTensors(const c10::Type& type) {
  if (type.kind() == c10::TypeKind::TensorType) {
    return true;
  }
  const auto contained = type.containedTypes();
  return std::any_of(contained.begin(), contained.end(),
                     [](const auto& inner) { return CarriesTensors(*inner); });
}

// Yields the matchable subgraphs of a graph, from its outputs backwards.
class BackwardIterator {
 public:
  BackwardIterator(Graph& graph, const MatchableNodes& nodes) : nodes_(nodes) {
    Push(graph.return_node());
  }

  // Returns the next chain, or an empty one at the end.
  Chain Next() {
    while (!stack_.empty()) {
      Node* node = stack_.back();
      stack_.pop_back();
      if (!seen_.insert(node).second) {
        continue;
      }
      const int index = nodes_.IndexOf(node);
      // Dropout does nothing in inference, and quantized models drop it.
      if (index < 0 || nodes_[index].is_control_flow ||
          nodes_[index].family == "dropout") {
        Push(node);
        continue;
      }
      const Chain chain = LongestFusion(index);
      for (int member : chain) {
        seen_.insert(nodes_[member].node);
      }
      Push(nodes_[chain.front()].node);
      if (nodes_[chain.front()].is_unmatchable) {
        continue;
      }
      return chain;
    }
    return {};
  }

 private:
  // Puts the producers of the inputs of `node` on the stack, for control flow
  // also those of what its blocks return.
  void Push(Node* node) {
    for (Value* input : node->inputs()) {
      PushProducer(*input);
    }
    PushWhatIsPutInto(*node);
    const int index = nodes_.IndexOf(node);
    if (index >= 0 && !nodes_[index].is_control_flow) {
      for (const Value* input : DataInputsOf(nodes_[index])) {
        PushProducer(*input);
      }
      return;
    }
    for (Block* block : node->blocks()) {
      Push(block->return_node());
    }
  }

  // Puts producers of values that are added to a dict or a list after it is
  // made on the stack.
  void PushWhatIsPutInto(const Node& node) {
    for (const Value* output : node.outputs()) {
      for (const torch::jit::Use& use : output->uses()) {
        if (use.offset == 0 && (use.user->kind() == c10::aten::_set_item ||
                                use.user->kind() == c10::aten::append)) {
          PushProducer(*use.user->inputs().back());
        }
      }
    }
  }

  // Puts the producer of `value` on the stack, unless it carries no tensors:
  // sizes, dtypes and flags are no data, and one model may ask for them where
  // the other does not.
  void PushProducer(const Value& value) {
    if (value.node()->kind() != c10::prim::Param &&
        CarriesTensors(*value.type())) {
      stack_.push_back(const_cast<Node*>(value.node()));
    }
  }

  // Returns the matchable node that produces the first data input of `index`
  // and is used by nothing else, or -1.
  int Producer(int index) const {
    const std::vector<Value*> inputs = DataInputsOf(nodes_[index]);
    if (inputs.empty() || OnlyUser(*inputs[0]) != nodes_[index].node) {
      return -1;
    }
    const int producer = nodes_.IndexOf(inputs[0]->node());
    return producer >= 0 && !nodes_[producer].is_control_flow &&
                   !seen_.contains(inputs[0]->node())
               ? producer
               : -1;
  }

  // Returns the chain that ends at `end` in the same fused module: a
  // convolution that is trained with its norm is conv, div, add, batch_norm,
  // relu. For other modules, it is `end` alone.
  Chain WithinFusedModule(int end) const {
    Chain chain = {end};
    const ModulePath& path = nodes_[end].path;
    while (IsFusedModule(path.type)) {
      const int producer = Producer(chain.front());
      if (producer < 0 || !(nodes_[producer].path == path) ||
          IsShapeOp(nodes_[producer])) {
        break;
      }
      chain.insert(chain.begin(), producer);
    }
    return chain;
  }

  Chain LongestFusion(int end) const {
    const Chain module = WithinFusedModule(end);
    if (module.size() > 1) {
      return module;
    }
    const int middle = Producer(end);
    if (middle < 0) {
      return {end};
    }
    const absl::string_view last = nodes_[end].family;
    // Of the activations, PyTorch's suite fuses relu alone.
    if (IsActivation(last) && last != "relu") {
      return {end};
    }
    const absl::string_view previous = nodes_[middle].family;
    const int first = Producer(middle);
    if (first >= 0) {
      const absl::string_view base = nodes_[first].family;
      if (FusesWith(base, base, previous) && FusesWith(base, previous, last)) {
        return {first, middle, end};
      }
    }
    return FusesWith(previous, previous, last) ? Chain{middle, end}
                                               : Chain{end};
  }

  const MatchableNodes& nodes_;
  std::vector<Node*> stack_;
  llvm::DenseSet<const Node*> seen_;
};

// Returns "'layer1.0.conv1' (aten::conv2d, %30)".
std::string Describe(const MatchableNodes& nodes, const Chain& chain) {
  if (chain.empty()) {
    return "nothing";
  }
  const MatchableNode& base = nodes[chain.front()];
  const std::string path = CallName(base.path);
  return absl::StrCat(path.empty() ? "" : absl::StrCat("'", path, "' "), "(",
                      OpName(*base.base), ", ", NodeName(*base.node), ")");
}

}  // namespace

absl::StatusOr<SubgraphPairs> MatchInStep(Graph& graph_a,
                                          const MatchableNodes& nodes_a,
                                          Graph& graph_b,
                                          const MatchableNodes& nodes_b) {
  SubgraphPairs pairs(nodes_a, nodes_b);
  BackwardIterator iterator_a(graph_a, nodes_a);
  BackwardIterator iterator_b(graph_b, nodes_b);
  for (;;) {
    const Chain a = iterator_a.Next();
    const Chain b = iterator_b.Next();
    if (a.empty() && b.empty()) {
      return pairs;
    }
    if (a.empty() || b.empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "subgraphs ", Describe(nodes_a, a), " and ", Describe(nodes_b, b),
          " cannot be matched: one model has more subgraphs than the other; "
          "use --matching=aligned"));
    }
    const MatchableNode& base_a = nodes_a[a.front()];
    const MatchableNode& base_b = nodes_b[b.front()];
    if (base_a.family != base_b.family) {
      return absl::FailedPreconditionError(absl::StrCat(
          "subgraphs ", Describe(nodes_a, a), " and ", Describe(nodes_b, b),
          " are not related; relate their ops, or use --matching=aligned"));
    }
    // Ops outside the op table are stepped over, as in PyTorch's suite.
    if (base_a.row != nullptr || base_b.row != nullptr) {
      pairs.MatchChains(a, b);
    }
  }
}

}  // namespace ns
