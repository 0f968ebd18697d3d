#include "ir/flatten/use_checked_sizes.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/flatten/drop_exception_checks.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;
namespace aten = ::c10::aten;
namespace prim = ::c10::prim;

// `value` is `number` in all that runs after `check`.
struct Fact {
  const Node* check;
  Value* value;
  int64_t number;
};

std::optional<int64_t> ConstantInt(const Value& value) {
  const auto constant = ConstantOf(value);
  return constant && constant->isInt() ? std::optional(constant->toInt())
                                       : std::nullopt;
}

// Returns what holds after `check`; nothing when it is no check or checks
// something else.
std::optional<Fact> FactOf(Node& check) {
  if (check.kind() != prim::If) {
    return std::nullopt;
  }
  const bool first_raises = AlwaysRaises(*check.blocks()[0]);
  if (first_raises == AlwaysRaises(*check.blocks()[1])) {
    return std::nullopt;
  }
  bool holds = !first_raises;
  Node* condition = check.input()->node();
  if (condition->kind() == aten::__not__) {
    holds = !holds;
    condition = condition->input()->node();
  }
  if (condition->kind() != (holds ? aten::eq : aten::ne)) {
    return std::nullopt;
  }
  for (const int side : {0, 1}) {
    Value* value = condition->inputs()[side];
    const auto number = ConstantInt(*condition->inputs()[1 - side]);
    if (number && !ConstantOf(*value) &&
        value->type()->kind() == c10::TypeKind::IntType) {
      return Fact{&check, value, *number};
    }
  }
  return std::nullopt;
}

// A dimension of a tensor. `rank` is 0 when it is not known.
struct Dimension {
  const Value* tensor;
  int64_t index;
  int64_t rank;
};

std::optional<Dimension> DimensionOf(const Value& size) {
  const Node& node = *size.node();
  if (node.kind() == aten::size && node.inputs().size() == 2) {
    const auto index = ConstantInt(*node.input(1));
    return index ? std::optional(Dimension{node.input(0), *index, 0})
                 : std::nullopt;
  }
  if (node.kind() == prim::ListUnpack &&
      node.input()->node()->kind() == aten::size &&
      node.input()->node()->inputs().size() == 1) {
    return Dimension{node.input()->node()->input(),
                     static_cast<int64_t>(size.offset()),
                     static_cast<int64_t>(node.outputs().size())};
  }
  return std::nullopt;
}

// Whether `a` and `b` are the same dimension; one of them may count from the
// end if the rank is known.
bool AreSame(const Dimension& a, const Dimension& b) {
  const int64_t rank = std::max(a.rank, b.rank);
  const auto index = [&](const Dimension& dimension) {
    return dimension.index < 0 ? dimension.index + rank : dimension.index;
  };
  return a.tensor == b.tensor &&
         (a.index == b.index || (rank > 0 && index(a) == index(b)));
}

bool Replace(Graph& graph, Value& value, const Fact& fact) {
  const bool is_used = absl::c_any_of(value.uses(), [&](const Use& use) {
    return use.user->isDominatedBy(fact.check);
  });
  if (is_used) {
    torch::jit::WithInsertPoint at(graph.block()->param_node()->next());
    value.replaceAllUsesDominatedByNodeWith(fact.check,
                                            graph.insertConstant(fact.number));
  }
  return is_used;
}

// Replaces the other sizes of the same dimension. Ops that write values leave
// the sizes of a tensor as they are; call this only where none Resizes.
bool ReplaceOtherSizes(Graph& graph, const Fact& fact) {
  const auto known = DimensionOf(*fact.value);
  if (!known) {
    return false;
  }
  bool changed = false;
  for (const Use& use : std::vector<Use>(known->tensor->uses())) {
    if (use.user->kind() == aten::size && use.user->inputs().size() == 2 &&
        use.user->output() != fact.value) {
      const auto other = DimensionOf(*use.user->output());
      if (other && AreSame(*known, *other) &&
          use.user->isDominatedBy(fact.check)) {
        changed |= Replace(graph, *use.user->output(), fact);
      }
    }
  }
  return changed;
}

// Whether `node` gives its result to an argument `out`, whose sizes it changes
// to those of the result.
bool HasOut(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  return schema != nullptr &&
         absl::c_any_of(schema->arguments(), [](const c10::Argument& argument) {
           return argument.is_out();
         });
}

// Whether an op changes the sizes of a tensor in place.
bool Resizes(const Graph& graph) {
  return AnyNode(graph.block(), [](const Node* node) {
    const c10::Symbol kind = node->kind();
    return WorksInPlace(*node) && node->blocks().empty() &&
           (kind == aten::resize_ || kind == aten::resize_as_ ||
            kind == aten::unsqueeze_ || kind == aten::squeeze_ ||
            kind == aten::transpose_ || kind == aten::t_ ||
            kind == aten::set_ || kind == aten::set_data ||
            kind == aten::swapaxes_ || kind == aten::swapdims_ ||
            kind == aten::as_strided_ || HasOut(*node));
  });
}

}  // namespace

bool UseCheckedSizes(Graph& graph) {
  std::vector<Fact> facts;
  ForEachNode(graph.block(), [&](Node* node) {
    if (const auto fact = FactOf(*node)) {
      facts.push_back(*fact);
    }
  });
  if (facts.empty()) {
    return false;
  }
  const bool resizes = Resizes(graph);
  bool changed = false;
  for (const Fact& fact : facts) {
    changed |= !resizes && ReplaceOtherSizes(graph, fact);
    changed |= Replace(graph, *fact.value, fact);
  }
  return changed;
}

}  // namespace ns
