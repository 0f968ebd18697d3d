#include "passes/rewrite/copy_subgraph.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/control_flow.h"
#include "ir/graph/node_view.h"
#include "ir/model/attach_attribute.h"
#include "llvm/ADT/DenseMap.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

constexpr char kAttributePrefix[] = "ns_copied_";

// The most nodes that are copied with a subgraph besides its own. It needs few:
// more are a sign that they compute data.
constexpr int kMostNodesAlong = 256;

bool HasTensorOutput(const Node& node) {
  return std::any_of(node.outputs().begin(), node.outputs().end(),
                     [](const Value* value) {
                       return IsTensor(*value) || IsTensorList(*value);
                     });
}

class Copier {
 public:
  Copier(const ModelGraph& source, ModelGraph& target, Node* place,
         const ValueCounterparts& counterparts)
      : source_(source),
        target_(target),
        place_(place),
        counterparts_(counterparts) {}

  absl::StatusOr<CopiedSubgraph> Run(const Subgraph& subgraph,
                                     const Value& output,
                                     absl::Span<Value* const> inputs) {
    start_ = subgraph.start;
    const std::vector<Value*> replaced = DataInputsOf(subgraph);
    if (replaced.size() != inputs.size()) {
      return Refusal(absl::StrCat("it takes ", replaced.size(),
                                  " tensors, and what feeds it has ",
                                  inputs.size()));
    }
    const std::vector<Value*> fresh = CopyIfWritten(subgraph, inputs);
    for (size_t i = 0; i < replaced.size(); ++i) {
      copies_.try_emplace(replaced[i], fresh[i]);
    }
    CopiedSubgraph copied;
    for (Node* node : subgraph.nodes) {
      const bool is_start = node == subgraph.start && node->blocks().empty();
      NS_ASSIGN_OR_RETURN(Node * copy,
                          is_start ? CopyStart(node, fresh) : CopyNode(node));
      copied.subgraph.nodes.push_back(copy);
    }
    copied.subgraph.start = node_copies_.lookup(subgraph.start);
    copied.subgraph.end = node_copies_.lookup(subgraph.end);
    copied.subgraph.base = node_copies_.lookup(subgraph.base);
    copied.output = copies_.lookup(&output);
    return copied;
  }

  // Removes all nodes that were inserted.
  void Undo() {
    for (auto it = created_.rbegin(); it != created_.rend(); ++it) {
      (*it)->destroy();
    }
    for (auto it = attributes_.rbegin(); it != attributes_.rend(); ++it) {
      target_.module()._ivalue()->unsafeRemoveAttr(*it);
      target_.module().type()->unsafeRemoveAttribute(*it);
    }
  }

 private:
  Graph& graph() { return target_.graph(); }

  Node* Insert(Node* node) {
    node->insertBefore(place_);
    created_.push_back(node);
    return node;
  }

  static absl::Status RefuseInput(const Value& value, absl::string_view why) {
    return Refusal(absl::StrCat("its input %", value.debugName(), " ", why));
  }

  // `value` is a parameter of the graph or of a block, from which an argument
  // other than the data is computed.
  absl::Status RefuseParameter(const Value& value) const {
    const bool is_of_model =
        value.node()->owningBlock() == source_.graph().block();
    return Refusal(absl::StrCat(
        "it takes what is made of ",
        is_of_model ? "the model's input " : "a value of its loop, ",
        ValueName(value),
        ", such as a mask, besides the values that its copy is fed with"));
  }

  // Returns `inputs`, with copies of those that the subgraph would overwrite.
  std::vector<Value*> CopyIfWritten(const Subgraph& subgraph,
                                    absl::Span<Value* const> inputs) {
    std::vector<Value*> fresh(inputs.begin(), inputs.end());
    const bool writes =
        std::any_of(subgraph.nodes.begin(), subgraph.nodes.end(),
                    [](const Node* node) { return WorksInPlace(*node); });
    if (!writes) {
      return fresh;
    }
    for (Value*& input : fresh) {
      if (IsTensor(*input)) {
        Value* none = Insert(graph().createNone())->output();
        Node* clone = Insert(graph().create(c10::aten::clone, {input, none}));
        clone->output()->setType(input->type());
        input = clone->output();
      }
    }
    return fresh;
  }

  // Copies the first node. Its data inputs are replaced by position: two of
  // them may be the same value, and get different values of the target.
  absl::StatusOr<Node*> CopyStart(Node* start,
                                  const std::vector<Value*>& data) {
    std::vector<Value*> arguments;
    auto next = data.begin();
    for (Value* input : start->inputs()) {
      NS_ASSIGN_OR_RETURN(Value * argument, CopyArgument(input, next));
      arguments.push_back(argument);
    }
    auto argument = arguments.begin();
    Node* copy =
        Insert(graph().createClone(start, [&](Value*) { return *argument++; }));
    Register(start, copy);
    return copy;
  }

  // Returns the counterpart of an argument of the first node. `next` points to
  // the data that are left, in the order of DataInputs.
  absl::StatusOr<Value*> CopyArgument(
      Value* value, std::vector<Value*>::const_iterator& next) {
    Node* node = value->node();
    if (DataInputsOfArgument(*value).empty()) {
      return Copy(value);
    }
    if (IsTensor(*value)) {
      return *next++;
    }
    if ((node->kind() == prim::ListConstruct && !IsWrittenTo(*value)) ||
        node->kind() == prim::TupleConstruct) {
      std::vector<Value*> elements;
      for (Value* element : node->inputs()) {
        NS_ASSIGN_OR_RETURN(Value * copy, CopyArgument(element, next));
        elements.push_back(copy);
      }
      Node* list = Insert(graph().create(node->kind(), elements));
      list->output()->copyMetadata(value);
      return list->output();
    }
    return *next++;
  }

  absl::StatusOr<Value*> Copy(Value* value) {
    const auto it = copies_.find(value);
    if (it != copies_.end()) {
      return it->second;
    }
    if (value->type()->kind() == c10::TypeKind::BoolType) {
      if (Value* same = CounterpartOf(*value)) {
        return same;
      }
    }
    Node* node = value->node();
    if (node->kind() == prim::Param) {
      const auto same = counterparts_.find(value);
      if (same != counterparts_.end() && !IsTensor(*value)) {
        return same->second;
      }
      return RefuseParameter(*value);
    }
    if (node->kind() == prim::GetAttr) {
      return CopyAttribute(value);
    }
    if (node->hasSideEffects() || node->isNondeterministic()) {
      return RefuseInput(*value, absl::StrCat("is made by ", OpName(*node),
                                              ", which cannot be run twice"));
    }
    if (++nodes_along_ > kMostNodesAlong) {
      return RefuseInput(*value, "takes a long computation to make");
    }
    NS_RETURN_IF_ERROR(CopyNode(node).status());
    NS_RETURN_IF_ERROR(CopyWritesTo(*value));
    return copies_.lookup(value);
  }

  // Whether the start and an op that fills `container` are in one node of
  // control flow, so that a copy of that node would hold the start, too.
  bool IsFilledAroundStart(const Value& container) const {
    return std::any_of(
        container.uses().begin(), container.uses().end(),
        [&](const torch::jit::Use& use) {
          const Node* outer = use.user;
          while (outer->owningBlock() != container.node()->owningBlock()) {
            outer = outer->owningBlock()->owningNode();
          }
          return IsInside(*start_, *outer) && WorksInPlace(*use.user);
        });
  }

  // Copies the ops that fill a list or dict after it is made, up to the start
  // of the subgraph.
  absl::Status CopyWritesTo(const Value& value) {
    const c10::TypeKind kind = value.type()->kind();
    if (kind != c10::TypeKind::ListType && kind != c10::TypeKind::DictType) {
      return absl::OkStatus();
    }
    if (IsFilledAroundStart(value)) {
      return RefuseInput(value, "is filled in the control flow around the op");
    }
    std::vector<Node*> writers = WritersBefore(value, *start_);
    writers.erase(std::remove_if(writers.begin(), writers.end(),
                                 [&](const Node* writer) {
                                   return node_copies_.count(writer);
                                 }),
                  writers.end());
    for (Node* writer : writers) {
      NS_RETURN_IF_ERROR(CopyNode(writer).status());
    }
    return absl::OkStatus();
  }

  // Returns what `value` is when it comes from the source's module through
  // prim::GetAttr only; nothing otherwise.
  std::optional<c10::IValue> AttributeOf(const Value& value) const {
    if (&value == source_.graph().inputs()[0]) {
      return c10::IValue(source_.module()._ivalue());
    }
    const Node* node = value.node();
    if (node->kind() != prim::GetAttr) {
      return std::nullopt;
    }
    const std::optional<c10::IValue> owner = AttributeOf(*node->inputs()[0]);
    if (!owner || !owner->isObject()) {
      return std::nullopt;
    }
    return owner->toObject()->getAttr(node->s(c10::attr::name));
  }

  // Returns the counterpart of `value`; null where none can be used at the
  // place.
  Value* CounterpartOf(const Value& value) const {
    const auto it = counterparts_.find(&value);
    return it != counterparts_.end() &&
                   place_->isDominatedBy(it->second->node())
               ? it->second
               : nullptr;
  }

  // Returns a value of the target with the shape of `value`, for arithmetic on
  // shapes. Its numbers do not matter.
  absl::StatusOr<Value*> CopyForShape(Value* value) {
    Value* counterpart = copies_.count(value) ? nullptr : CounterpartOf(*value);
    return counterpart != nullptr ? counterpart : Copy(value);
  }

  absl::StatusOr<Value*> CopyInput(const Node& user, Value* value) {
    return HasTensorOutput(user) ? Copy(value) : CopyForShape(value);
  }

  // Copies the values from outside that `node` and the blocks in it use.
  absl::Status CopyCaptured(const Node& node, const Node& outermost) {
    for (const Value* const_input : node.inputs()) {
      auto* input = const_cast<Value*>(const_input);
      if (IsInside(*input->node(), outermost)) {
        continue;
      }
      NS_ASSIGN_OR_RETURN(Value * copy, CopyInput(node, input));
      copies_.try_emplace(input, copy);
    }
    for (const Block* block : node.blocks()) {
      for (const Node* inner : block->nodes()) {
        NS_RETURN_IF_ERROR(CopyCaptured(*inner, outermost));
      }
      NS_RETURN_IF_ERROR(CopyCaptured(*block->return_node(), outermost));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Node*> CopyNode(Node* node) {
    NS_RETURN_IF_ERROR(CopyCaptured(*node, *node));
    Node* copy = Insert(graph().createClone(
        node, [&](Value* value) { return copies_.lookup(value); }));
    Register(node, copy);
    return copy;
  }

  void Register(const Node* original, Node* copy) {
    node_copies_[original] = copy;
    for (size_t i = 0; i < original->outputs().size(); ++i) {
      copies_[original->outputs()[i]] = copy->output(i);
    }
    for (size_t i = 0; i < original->blocks().size(); ++i) {
      const auto nodes = original->blocks()[i]->nodes();
      auto inner = copy->blocks()[i]->nodes().begin();
      for (const Node* node : nodes) {
        Register(node, *inner);
        ++inner;
      }
    }
  }

  absl::StatusOr<Value*> CopyAttribute(Value* value) {
    const std::optional<c10::IValue> attribute = AttributeOf(*value);
    if (!attribute) {
      return RefuseInput(*value,
                         "is an attribute of an object that only a run tells");
    }
    const std::string name =
        FreeAttributeName(target_.module(), kAttributePrefix);
    target_.module().register_attribute(name, value->type(), *attribute);
    attributes_.push_back(name);
    Node* get = Insert(graph().createGetAttr(graph().inputs()[0], name));
    copies_[value] = get->output();
    return get->output();
  }

  const ModelGraph& source_;
  ModelGraph& target_;
  Node* place_;
  const ValueCounterparts& counterparts_;
  const Node* start_ = nullptr;
  llvm::DenseMap<const Value*, Value*> copies_;
  llvm::DenseMap<const Node*, Node*> node_copies_;
  std::vector<Node*> created_;
  std::vector<std::string> attributes_;
  int nodes_along_ = 0;
};

}  // namespace

absl::StatusOr<CopiedSubgraph> CopySubgraph(
    const ModelGraph& source, const Subgraph& subgraph, const Value& output,
    absl::Span<Value* const> inputs, ModelGraph& target, Node* place,
    const ValueCounterparts& counterparts) {
  Copier copier(source, target, place, counterparts);
  absl::StatusOr<CopiedSubgraph> copied =
      CatchTorchErrors([&] { return copier.Run(subgraph, output, inputs); });
  if (!copied.ok()) {
    copier.Undo();
  }
  NS_RETURN_IF_ERROR(RefusalOf("copying a subgraph", copied.status()));
  return copied;
}

}  // namespace ns
