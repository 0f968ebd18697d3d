#include "ir/graph/uses_behind.h"

#include <ATen/core/alias_info.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/handed_on.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

// Where a value is: in `value` itself or, where that is a container, in its
// element `place`; below 0 in any of its elements.
struct Spot {
  const Value* value;
  int64_t place = -1;

  bool operator==(const Spot& other) const {
    return value == other.value && place == other.place;
  }

  template <typename H>
  friend H AbslHashValue(H state, const Spot& spot) {
    return H::combine(std::move(state), spot.value, spot.place);
  }
};

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

// Follows values from use to use.
class Follower {
 public:
  explicit Follower(const Value& value) : reached_{{&value}}, seen_{{&value}} {}

  // Returns the next use that is reached, or nothing where there is no other.
  std::optional<Use> Next() {
    for (; at_ < reached_.size(); ++at_, use_ = 0) {
      const torch::jit::use_list& uses = reached_[at_].value->uses();
      if (use_ < uses.size()) {
        return uses[use_++];
      }
    }
    return std::nullopt;
  }

  // Adds what the last use hands on: the value itself where it does not compute
  // with that, and its outputs where `computes`.
  void Follow(const Use& use, bool computes) {
    const int64_t place = reached_[at_].place;
    if (use.user->kind() == prim::SetAttr) {
      FollowAttribute(*use.user);
    } else if (computes) {
      for (const Value* output : use.user->outputs()) {
        Add({output});
      }
      FollowWrite(*use.user);
    } else if (!Overwrites(use)) {
      for (const Value* next : HandedOnTo(use)) {
        AddElement(use, place, *next);
      }
    }
  }

 private:
  void Add(Spot spot) {
    const c10::TypeKind kind = spot.value->type()->kind();
    const bool is_number = kind == c10::TypeKind::IntType ||
                           kind == c10::TypeKind::FloatType ||
                           kind == c10::TypeKind::BoolType;
    if (!is_number && seen_.insert(spot).second) {
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
        Add({&next, static_cast<int64_t>(use.offset)});
        return;
      case prim::ListConstruct:
        Add({&next, IsWrittenTo(next) ? -1 : static_cast<int64_t>(use.offset)});
        return;
      case prim::TupleUnpack:
      case prim::ListUnpack:
        if (place < 0 || place == static_cast<int64_t>(next.offset())) {
          Add({&next});
        }
        return;
      case prim::If:
      case prim::Loop:
      case prim::Return:
      case prim::unchecked_cast:
        Add({&next, place});
        return;
      default:
        break;
    }
    const std::optional<int64_t> read = PlaceRead(node);
    if (place < 0 || !read || *read == place) {
      Add({&next});
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
      Add({written});
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
        Add({node->output()});
      }
    });
  }

  std::vector<Spot> reached_;
  absl::flat_hash_set<Spot> seen_;
  // The next use is the one with index `use_` of `reached_[at_]`.
  size_t at_ = 0;
  size_t use_ = 0;
};

}  // namespace

bool HasUseBehind(const Value& value,
                  absl::FunctionRef<bool(const Use& use)> hands_on,
                  absl::FunctionRef<bool(const Use& use)> found) {
  Follower follower(value);
  while (const std::optional<Use> use = follower.Next()) {
    if (found(*use)) {
      return true;
    }
    const bool may_compute =
        !use->user->outputs().empty() && use->user->blocks().empty();
    follower.Follow(*use, may_compute && hands_on(*use));
  }
  return false;
}

}  // namespace ns
