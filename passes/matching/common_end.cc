#include "passes/matching/common_end.h"

#include <torch/csrc/jit/ir/ir.h>

#include <utility>

#include "absl/algorithm/container.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/graph/node_view.h"
#include "passes/matching/implied_activation.h"
#include "passes/matching/value_keeping.h"
#include "passes/ops/fusion_patterns.h"

namespace ns {
namespace {

using ::torch::jit::Node;

constexpr absl::string_view kBatchNorm = "batch_norm";

// Returns the only op that computes with the output of matchable node `from`,
// as `node` of the step, with the ops that the value passes on the way. There
// is no node where no op or several ops do.
Step NextStep(const MatchableNodes& nodes, int from) {
  Step step;
  const torch::jit::Value* value = nodes[from].output;
  while (value != nullptr) {
    Node* user = OnlyUser(*value);
    if (user == nullptr || FirstDataInput(*user) != value) {
      break;
    }
    step.nodes.push_back(user);
    // Dropout is matchable, but changes nothing here.
    const bool keeps = KeepsOrQuantizesValues(*user);
    const int index = nodes.IndexOf(user);
    if (!keeps && index >= 0) {
      step.node = index;
      step.family = nodes[index].family;
      break;
    }
    value = keeps && user->outputs().size() == 1 ? user->output() : nullptr;
  }
  return step;
}

bool IsNorm(const Step* step) {
  return step != nullptr && step->family == kBatchNorm;
}

size_t CountNorms(const Steps& steps, size_t from) {
  size_t count = 0;
  while (from + count < steps.size() && IsNorm(&steps[from + count])) {
    ++count;
  }
  return count;
}

// Follows the steps of both sides as far as they compute the same.
class Search {
 public:
  Search(const SideOfPair& a, const SideOfPair& b) : a_{a}, b_{b} {}

  CommonEnd Run() && {
    while (Advance()) {
    }
    const auto has_more_inside = [](const Cursor& cursor) {
      const Step* step = cursor.Current();
      return step != nullptr && step->is_inside;
    };
    return {a_.at, b_.at, !has_more_inside(a_) && !has_more_inside(b_)};
  }

 private:
  struct Cursor {
    const Step* Current() const {
      return at < side.steps.size() ? &side.steps[at] : nullptr;
    }
    // Returns the op that computes the result of the steps so far.
    const Node& LastOp() const {
      int last = side.base;
      for (size_t i = 0; i < at; ++i) {
        last = side.steps[i].node >= 0 ? side.steps[i].node : last;
      }
      return *side.nodes[last].base;
    }

    const SideOfPair& side;
    size_t at = 0;
  };

  bool Advance() {
    if (IsFolded(a_, b_)) {
      ++a_.at;
      return true;
    }
    if (IsFolded(b_, a_)) {
      ++b_.at;
      return true;
    }
    const Step* step_a = a_.Current();
    const Step* step_b = b_.Current();
    if (step_a != nullptr && step_b != nullptr &&
        step_a->family == step_b->family) {
      if (!step_a->is_inside && !step_b->is_inside && !HaveItsRange()) {
        return false;  // Each of the two is a layer of its own.
      }
      ++a_.at;
      ++b_.at;
      return true;
    }
    if (IsImplied(a_, b_)) {
      ++a_.at;
      return true;
    }
    if (IsImplied(b_, a_)) {
      ++b_.at;
      return true;
    }
    return false;
  }

  // Whether both sides can take in the current step, as the op before it has
  // the range of its output in one of them.
  bool HaveItsRange() const {
    return IsFree(a_) && IsFree(b_) && (HasItsRange(a_) || HasItsRange(b_));
  }

  static bool IsFree(const Cursor& cursor) {
    const int node = cursor.Current()->node;
    return node >= 0 &&
           (cursor.side.taken == nullptr || !(*cursor.side.taken)[node]);
  }

  // What is quantized in between is a point of its own.
  static bool HasItsRange(const Cursor& cursor) {
    const Step& step = *cursor.Current();
    const Node* clamp = cursor.side.nodes[step.node].base;
    return absl::c_all_of(step.nodes,
                          [&](const Node* node) {
                            return node == clamp || KeepsValues(*node);
                          }) &&
           HasRangeOf(cursor.LastOp(), *clamp);
  }

  // Whether the current step is a batch norm that the other side has folded.
  static bool IsFolded(const Cursor& cursor, const Cursor& other) {
    const Step* step = cursor.Current();
    if (!IsNorm(step)) {
      return false;
    }
    if (IsNorm(other.Current())) {
      return IsFoldedOfSeveral(cursor, other);
    }
    return step->is_inside || !other.side.nodes.HasBatchNormOf(PathOf(cursor));
  }

  // Answers the same where the other side has a norm there, too.
  static bool IsFoldedOfSeveral(const Cursor& cursor, const Cursor& other) {
    const absl::string_view path = PathOf(cursor);
    const absl::string_view other_path = PathOf(other);
    if (path == other_path && !path.empty()) {
      return false;
    }
    if (other.side.nodes.HasBatchNormOf(path)) {
      return false;
    }
    return cursor.side.nodes.HasBatchNormOf(other_path) ||
           CountNorms(cursor.side.steps, cursor.at) >
               CountNorms(other.side.steps, other.at);
  }

  static absl::string_view PathOf(const Cursor& cursor) {
    const int node = cursor.Current()->node;
    return node < 0 ? absl::string_view() : cursor.side.nodes[node].path.fqn;
  }

  // Whether the current step is an activation that the other side does not have
  // and does not need.
  static bool IsImplied(const Cursor& cursor, const Cursor& other) {
    const Step* step = cursor.Current();
    return step != nullptr && !IsNorm(step) && step->node >= 0 &&
           other.Current() == nullptr &&
           IsImpliedByRange(*cursor.side.nodes[step->node].base,
                            other.LastOp());
  }

  Cursor a_;
  Cursor b_;
};

}  // namespace

Steps StepsBehind(const MatchableNodes& nodes, int base, int end) {
  Steps steps;
  const absl::string_view family = nodes[base].family;
  // After an activation, only clamps may follow.
  bool is_activated = false;
  const auto add_fused = [&](const MatchableNode& node) {
    if (node.row != nullptr && !node.row->fused_activation.empty()) {
      Step fused;
      fused.family = node.row->fused_activation;
      fused.is_inside = true;
      steps.push_back(std::move(fused));
      is_activated = true;
    }
  };
  const auto add = [&](Step step, const MatchableNode& node) {
    is_activated |= step.family != kBatchNorm;
    steps.push_back(std::move(step));
    add_fused(node);
  };
  const auto may_follow = [&](int node) {
    return (!is_activated && FusesWith(family, family, nodes[node].family)) ||
           IsClamp(*nodes[node].base);
  };
  add_fused(nodes[base]);
  // A module that is trained with its norm has other ops in between.
  int last = base;
  while (last != end) {
    last = nodes[last].only_user;
    if (may_follow(last)) {
      Step step;
      step.family = nodes[last].family;
      step.is_inside = true;
      step.node = last;
      add(std::move(step), nodes[last]);
    }
  }
  for (;;) {
    Step step = NextStep(nodes, last);
    if (step.node < 0 || nodes[step.node].is_control_flow ||
        !may_follow(step.node)) {
      return steps;
    }
    last = step.node;
    add(std::move(step), nodes[last]);
  }
}

CommonEnd FindCommonEnd(const SideOfPair& a, const SideOfPair& b) {
  return Search(a, b).Run();
}

}  // namespace ns
