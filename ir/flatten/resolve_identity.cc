#include "ir/flatten/resolve_identity.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "ir/aliasing/returned_input.h"
#include "ir/aliasing/tensor_writes.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace aten = ::c10::aten;
namespace prim = ::c10::prim;

using Values = llvm::DenseSet<const Value*>;

bool AsksForIdentity(const Node& node) {
  return (node.kind() == aten::__is__ || node.kind() == aten::__isnot__) &&
         node.inputs().size() == 2;
}

// Views that are always a tensor object of their own.
bool IsNewView(c10::Symbol kind) {
  return kind == aten::transpose || kind == aten::permute || kind == aten::t ||
         kind == aten::unsqueeze || kind == aten::squeeze ||
         kind == aten::view || kind == aten::slice || kind == aten::select ||
         kind == aten::narrow || kind == aten::detach;
}

// Whether each run of `node` makes a new tensor object.
bool MakesNewTensor(const Node& node) {
  const auto* schema = node.maybeSchema();
  if (schema == nullptr || node.kind().is_prim() ||
      node.outputs().size() != 1 || schema->returns().size() != 1) {
    return false;
  }
  return IsNewView(node.kind()) ||
         (schema->returns()[0].alias_info() == nullptr &&
          !MayReturnInput(node));
}

// Returns the element of a list that `value`, an output of prim::ListUnpack,
// is: one that the list was made with, or one that a comprehension appends to
// it. Null where other ops read or change the list, too.
const Value* ElementOf(const Value& value) {
  const Node& unpack = *value.node();
  if (unpack.kind() != prim::ListUnpack ||
      unpack.input()->node()->kind() != prim::ListConstruct) {
    return nullptr;
  }
  const Node& list = *unpack.input()->node();
  std::vector<const Value*> elements(list.inputs().begin(),
                                     list.inputs().end());
  for (const Node* node : list.owningBlock()->nodes()) {
    if (node->kind() == aten::append && node->input(0) == list.output()) {
      elements.push_back(node->input(1));
    }
  }
  const size_t appended = elements.size() - list.inputs().size();
  return list.output()->uses().size() == appended + 1 &&
                 elements.size() == unpack.outputs().size() &&
                 unpack.owningBlock() == list.owningBlock()
             ? elements[value.offset()]
             : nullptr;
}

// Returns the values that `value` stands for: those of both arms of a prim::If,
// say. Empty where it stands for itself alone.
std::vector<const Value*> StandsFor(const Value& value) {
  const Node& node = *value.node();
  if (node.kind() == prim::If) {
    const size_t i = value.offset();
    return {node.blocks()[0]->outputs()[i], node.blocks()[1]->outputs()[i]};
  }
  if (node.kind() == prim::unchecked_cast) {
    return {node.input()};
  }
  const Value* element = ElementOf(value);
  return element == nullptr ? std::vector<const Value*>()
                            : std::vector<const Value*>{element};
}

// Adds to `origins` the values that make the tensors that `value` may be.
// Returns whether they are all known.
bool FindOrigins(const Value& value, Values& origins) {
  Values seen;
  std::vector<const Value*> open = {&value};
  bool all_known = true;
  while (!open.empty()) {
    const Value& next = *open.back();
    open.pop_back();
    if (!seen.insert(&next).second) {
      continue;
    }
    const std::vector<const Value*> others = StandsFor(next);
    if (!others.empty()) {
      open.insert(open.end(), others.begin(), others.end());
      continue;
    }
    const Node& node = *next.node();
    const bool is_input = node.kind() == prim::Param &&
                          node.owningBlock()->owningNode() == nullptr;
    origins.insert(&next);
    all_known =
        all_known && IsTensor(next) && (is_input || MakesNewTensor(node));
  }
  return all_known;
}

bool IsInput(const Value* value) {
  return value->node()->kind() == prim::Param;
}

class IdentityResolver {
 public:
  explicit IdentityResolver(Graph& graph) : graph_(graph) {}

  // Returns whether `a` and `b` are one object; nothing when the graph does not
  // show it.
  std::optional<bool> AreSame(const Value& a, const Value& b) {
    if (a.mustBeNone() || b.mustBeNone()) {
      return NoneIsSame(a, b);
    }
    if (AreEqual(a, b)) {
      return true;
    }
    return AreDistinct(a, b) ? std::optional<bool>(false) : std::nullopt;
  }

 private:
  static std::optional<bool> NoneIsSame(const Value& a, const Value& b) {
    if (a.mustBeNone() && b.mustBeNone()) {
      return true;
    }
    const Value& other = a.mustBeNone() ? b : a;
    return IsNeverNone(other) ? std::optional<bool>(false) : std::nullopt;
  }

  // Whether `value` is a tensor, or a branch gives one in both arms.
  static bool IsNeverNone(const Value& value) {
    const Node& node = *value.node();
    return IsTensor(value) ||
           (node.kind() == prim::If &&
            absl::c_all_of(node.blocks(), [&](const Block* block) {
              return IsNeverNone(*block->outputs()[value.offset()]);
            }));
  }

  // Whether equal ops make `a` and `b` of equal values.
  bool AreEqual(const Value& a, const Value& b) {
    if (&a == &b) {
      return true;
    }
    const auto known = equal_.find({&a, &b});
    if (known != equal_.end()) {
      return known->second;
    }
    const bool are_equal = AreMadeEqually(a, b);
    equal_[{&a, &b}] = are_equal;
    return are_equal;
  }

  bool AreMadeEqually(const Value& a, const Value& b) {
    const Value* of_a = ElementOf(a);
    const Value* of_b = ElementOf(b);
    if (of_a != nullptr || of_b != nullptr) {
      return AreEqual(of_a == nullptr ? a : *of_a, of_b == nullptr ? b : *of_b);
    }
    const Node& one = *a.node();
    const Node& other = *b.node();
    if (one.kind() == prim::If && &one == &other) {
      return absl::c_all_of(one.blocks(), [&](const Block* block) {
        return AreEqual(*block->outputs()[a.offset()],
                        *block->outputs()[b.offset()]);
      });
    }
    if (one.kind() != other.kind() || a.offset() != b.offset() ||
        one.inputs().size() != other.inputs().size()) {
      return false;
    }
    if (one.kind() == prim::Constant) {
      return AreEqualConstants(a, b);
    }
    return MayMerge(one) && MayMerge(other) &&
           absl::c_equal(one.inputs(), other.inputs(),
                         [&](const Value* x, const Value* y) {
                           return AreEqual(*x, *y);
                         });
  }

  static bool AreEqualConstants(const Value& a, const Value& b) {
    const auto one = ConstantOf(a);
    const auto other = ConstantOf(b);
    if (!one || !other || one->tagKind() != other->tagKind()) {
      return false;
    }
    return one->isTensor() ? one->toTensor().is_same(other->toTensor())
                           : !one->isObject() && *one == *other;
  }

  // Whether LibTorch may merge `node` with an equal one. Ops that make lists
  // are merged only if they make lists of numbers, such as sizes.
  bool MayMerge(const Node& node) {
    const bool is_list = node.kind() == prim::ListConstruct;
    const auto* schema = node.maybeSchema();
    if ((schema == nullptr && !is_list) || !node.blocks().empty() ||
        node.hasSideEffects() || node.isNondeterministic() ||
        WorksInPlace(node)) {
      return false;
    }
    // Few graphs compare tensors, and the analysis takes time.
    if (!writes_) {
      writes_.emplace(graph_);
    }
    const auto is_written = [&](const Value* value) {
      return writes_->HasWriters(value);
    };
    return absl::c_none_of(node.inputs(), is_written) &&
           absl::c_none_of(node.outputs(), is_written);
  }

  bool AreDistinct(const Value& a, const Value& b) {
    Values of_a;
    Values of_b;
    return FindOrigins(a, of_a) && FindOrigins(b, of_b) &&
           absl::c_none_of(of_a, [&](const Value* one) {
             return absl::c_any_of(of_b, [&](const Value* other) {
               return (IsInput(one) && IsInput(other)) ||
                      AreEqual(*one, *other);
             });
           });
  }

  Graph& graph_;
  std::optional<TensorWrites> writes_;
  absl::flat_hash_map<std::pair<const Value*, const Value*>, bool> equal_;
};

}  // namespace

bool ResolveIdentity(Graph& graph) {
  std::vector<Node*> questions;
  ForEachNode(graph.block(), [&](Node* node) {
    if (AsksForIdentity(*node) && node->output()->hasUses()) {
      questions.push_back(node);
    }
  });
  if (questions.empty()) {
    return false;
  }
  IdentityResolver resolver(graph);
  bool changed = false;
  for (Node* node : questions) {
    const auto same = resolver.AreSame(*node->input(0), *node->input(1));
    if (!same) {
      continue;
    }
    torch::jit::WithInsertPoint at(node);
    node->output()->replaceAllUsesWith(
        graph.insertConstant(*same == (node->kind() == aten::__is__)));
    changed = true;
  }
  return changed;
}

}  // namespace ns
