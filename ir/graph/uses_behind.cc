#include "ir/graph/uses_behind.h"

#include <ATen/core/alias_info.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ir/graph/graph_walk.h"
#include "ir/graph/handed_on.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

// Returns which element of a container `node` reads; none for any of them.
std::optional<int64_t> PlaceRead(const Node& node) {
  if (node.kind() != prim::TupleIndex &&
      node.kind() != c10::aten::__getitem__) {
    return std::nullopt;
  }
  const std::optional<c10::IValue> index = ConstantOf(*node.input(1));
  return index && index->isInt() && index->toInt() >= 0
             ? std::optional<int64_t>(index->toInt())
             : std::nullopt;
}

}  // namespace

// Follows values from use to use.
class Follower {
 public:
  // Leaves out what is in `nothing_behind`.
  Follower(const Value& value, const UseSearch::Spots& nothing_behind)
      : nothing_behind_(nothing_behind) {
    const UseSearch::Spot start(&value, -1);
    if (!nothing_behind.contains(start)) {
      seen_.insert(start);
      reached_.push_back(start);
    }
  }

  // Returns the next use that is reached, or nothing where there is no other.
  std::optional<Use> Next() {
    for (; at_ < reached_.size(); ++at_, use_ = 0) {
      const torch::jit::use_list& uses = reached_[at_].first->uses();
      if (use_ < uses.size()) {
        return uses[use_++];
      }
    }
    return std::nullopt;
  }

  // What the value was followed to.
  const UseSearch::Spots& seen() const { return seen_; }

  // Adds what the last use hands on: the value itself where it does not compute
  // with that, and its outputs where `computes`.
  void Follow(const Use& use, bool computes) {
    const int64_t place = reached_[at_].second;
    if (use.user->kind() == prim::SetAttr) {
      FollowAttribute(*use.user);
    } else if (computes) {
      for (const Value* output : use.user->outputs()) {
        Add(*output);
      }
      FollowWrite(*use.user);
    } else if (!Overwrites(use)) {
      for (const Value* next : HandedOnTo(use)) {
        AddElement(use, place, *next);
      }
    }
  }

 private:
  // Adds a value, or its element `place`.
  void Add(const Value& value, int64_t place = -1) {
    const c10::TypeKind kind = value.type()->kind();
    const bool is_number = kind == c10::TypeKind::IntType ||
                           kind == c10::TypeKind::FloatType ||
                           kind == c10::TypeKind::BoolType;
    const UseSearch::Spot spot(&value, place);
    if (!is_number && !nothing_behind_.contains(spot) &&
        seen_.insert(spot).second) {
      reached_.push_back(spot);
    }
  }

  // Whether the use is that of a tensor whose values the op replaces.
  static bool Overwrites(const Use& use) {
    const c10::AliasInfo* alias = AliasOf(use);
    return alias != nullptr && alias->isWrite() &&
           IsTensor(*use.user->input(use.offset));
  }

  // Adds `next`, to which `use` hands on element `place` of a container, or a
  // value that goes into a container there.
  void AddElement(const Use& use, int64_t place, const Value& next) {
    const Node& node = *use.user;
    switch (node.kind()) {
      case prim::TupleConstruct:
        Add(next, static_cast<int64_t>(use.offset));
        return;
      case prim::ListConstruct:
        Add(next, IsWrittenTo(next) ? -1 : static_cast<int64_t>(use.offset));
        return;
      case prim::TupleUnpack:
      case prim::ListUnpack:
        if (place < 0 || place == static_cast<int64_t>(next.offset())) {
          Add(next);
        }
        return;
      case prim::If:
      case prim::Loop:
      case prim::Return:
      case prim::unchecked_cast:
        Add(next, place);
        return;
      default:
        break;
    }
    const std::optional<int64_t> read = PlaceRead(node);
    if (place < 0 || !read || *read == place) {
      Add(next);
    }
  }

  // An op in place gives what it gives to all that read what it writes to.
  void FollowWrite(const Node& node) {
    if (node.inputs().empty() || !node.blocks().empty() ||
        !WorksInPlace(node)) {
      return;
    }
    const Value* written = node.input(0);
    while (written != nullptr && IsTensor(*written)) {
      Add(*written);
      written = BaseOf(*written);
    }
  }

  // Returns what `value` is a view of; null where it is none.
  static const Value* BaseOf(const Value& value) {
    auto* node = const_cast<Node*>(value.node());
    const bool is_view = !node->inputs().empty() && IsTensor(*node->input(0)) &&
                         AliasOf({node, 0}) != nullptr;
    return is_view ? node->input(0) : nullptr;
  }

  void FollowAttribute(const Node& set) {
    const torch::jit::Graph& graph = *set.owningGraph();
    ForEachNode(graph.block(), [&](const Node* node) {
      if (node->kind() == prim::GetAttr &&
          node->s(c10::attr::name) == set.s(c10::attr::name)) {
        Add(*node->output());
      }
    });
  }

  const UseSearch::Spots& nothing_behind_;
  std::vector<UseSearch::Spot> reached_;
  UseSearch::Spots seen_;
  // The next use is the one with index `use_` of `reached_[at_]`.
  size_t at_ = 0;
  size_t use_ = 0;
};

std::optional<Use> UseSearch::Find(const Value& value) {
  Follower follower(value, nothing_behind_);
  while (const std::optional<Use> use = follower.Next()) {
    ++visited_;
    if (found_(*use)) {
      return use;
    }
    const bool may_compute =
        !use->user->outputs().empty() && use->user->blocks().empty();
    follower.Follow(*use, may_compute && hands_on_(*use));
  }
  nothing_behind_.insert(follower.seen().begin(), follower.seen().end());
  return std::nullopt;
}

bool HasUseBehind(const Value& value,
                  absl::FunctionRef<bool(const Use& use)> hands_on,
                  absl::FunctionRef<bool(const Use& use)> found) {
  return UseSearch(hands_on, found).Find(value).has_value();
}

}  // namespace ns
