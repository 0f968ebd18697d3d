#include "passes/instrument/pair/meeting_plan.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;

// One level of control flow around a value.
struct Level {
  Node* node = nullptr;
  size_t block = 0;
};

// The control flow around `node`, outermost first.
std::vector<Level> LevelsOf(const Node& node) {
  std::vector<Level> levels;
  const Block* block = node.owningBlock();
  while (Node* owner = const_cast<Block*>(block)->owningNode()) {
    const auto blocks = owner->blocks();
    const auto at = std::find(blocks.begin(), blocks.end(), block);
    levels.push_back({owner, static_cast<size_t>(at - blocks.begin())});
    block = owner->owningBlock();
  }
  std::reverse(levels.begin(), levels.end());
  return levels;
}

Node* NullForParameters(Node* node) {
  return node->kind() == c10::prim::Param ? nullptr : node;
}

// Whether `first` comes before `second` in their block; null stands for the
// parameters of the block, which come first.
bool ComesBefore(const Node* first, const Node* second) {
  if (first == nullptr || second == nullptr) {
    return first == nullptr && second != nullptr;
  }
  return first != second && first->isBefore(second);
}

class Planner {
 public:
  explicit Planner(absl::Span<const MeetingPoint> points) : points_(points) {
    for (const MeetingPoint& point : points) {
      levels_.push_back(
          {LevelsOf(*point.NodeOfA()), LevelsOf(*point.NodeOfB())});
    }
    plan_.apart.resize(points.size());
    plan_.a_is_early.resize(points.size());
  }

  MeetingPlan Run() {
    std::vector<size_t> all(points_.size());
    for (size_t i = 0; i < all.size(); ++i) {
      all[i] = i;
    }
    plan_.top = PlanBlocks(all, 0);
    return std::move(plan_);
  }

 private:
  struct PointLevels {
    std::vector<Level> a;
    std::vector<Level> b;
  };
  using NodePair = std::pair<Node*, Node*>;

  // The plan of the blocks at `depth` that hold all of `points`.
  BlockPlan PlanBlocks(const std::vector<size_t>& points, size_t depth) {
    std::vector<size_t> here;
    std::vector<NodePair> pairs;
    std::map<NodePair, std::vector<size_t>> inside;
    for (const size_t point : points) {
      const PointLevels& levels = levels_[point];
      const bool a_is_here = levels.a.size() == depth;
      const bool b_is_here = levels.b.size() == depth;
      if (a_is_here && b_is_here) {
        here.push_back(point);
      } else if (!a_is_here && !b_is_here &&
                 CanRunAsOne(levels.a[depth], levels.b[depth])) {
        const NodePair pair = {levels.a[depth].node, levels.b[depth].node};
        std::vector<size_t>& group = inside[pair];
        if (group.empty()) {
          pairs.push_back(pair);
        }
        group.push_back(point);
      } else {
        plan_.apart[point] = true;
      }
    }
    BlockPlan plan;
    for (const NodePair& pair : InOrder(std::move(pairs))) {
      plan.steps.push_back({pair.first, pair.second, {}, {}});
      plan.steps.back().blocks = PlanPair(pair, inside[pair], depth);
      inside.erase(pair);
    }
    for (const auto& [pair, group] : inside) {
      for (const size_t point : group) {
        plan_.apart[point] = true;
      }
    }
    AddPoints(here, plan);
    return plan;
  }

  static bool CanRunAsOne(const Level& a, const Level& b) {
    return a.node->kind() == b.node->kind() && a.block == b.block &&
           (a.node->kind() == c10::prim::If ||
            a.node->kind() == c10::prim::Loop);
  }

  // Of pairs of control flow those that come in one order in both blocks; each
  // node once.
  static std::vector<NodePair> InOrder(std::vector<NodePair> pairs) {
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const NodePair& x, const NodePair& y) {
                       return ComesBefore(x.second, y.second);
                     });
    std::vector<NodePair> kept;
    for (const NodePair& pair : pairs) {
      if (kept.empty() || (ComesBefore(kept.back().first, pair.first) &&
                           ComesBefore(kept.back().second, pair.second))) {
        kept.push_back(pair);
      }
    }
    return kept;
  }

  std::vector<BlockPlan> PlanPair(const NodePair& pair,
                                  const std::vector<size_t>& points,
                                  size_t depth) {
    std::vector<std::vector<size_t>> by_block(pair.first->blocks().size());
    for (const size_t point : points) {
      by_block[levels_[point].a[depth].block].push_back(point);
    }
    std::vector<BlockPlan> plans;
    for (const std::vector<size_t>& of_block : by_block) {
      plans.push_back(PlanBlocks(of_block, depth + 1));
    }
    return plans;
  }

  // Adds the points of this level to `plan`, whose steps are control flow that
  // runs as one: where A comes after such a step and B before, they do not
  // meet.
  void AddPoints(const std::vector<size_t>& points, BlockPlan& plan) {
    const std::vector<BlockPlan::Step> control = plan.steps;
    for (const size_t point : points) {
      Node* a = NullForParameters(points_[point].NodeOfA());
      Node* b = NullForParameters(points_[point].NodeOfB());
      const bool crosses = std::any_of(
          control.begin(), control.end(), [&](const BlockPlan::Step& step) {
            return !ComesBefore(a, step.a) && ComesBefore(b, step.b);
          });
      if (crosses) {
        plan_.apart[point] = true;
      } else {
        plan.steps.push_back({a, b, {point}, {}});
      }
    }
    // What is behind control flow comes after it: the sort is stable.
    std::stable_sort(plan.steps.begin(), plan.steps.end(),
                     [](const BlockPlan::Step& x, const BlockPlan::Step& y) {
                       return ComesBefore(x.b, y.b);
                     });
    Node* last = nullptr;
    for (const BlockPlan::Step& step : plan.steps) {
      for (const size_t point : step.points) {
        plan_.a_is_early[point] = ComesBefore(step.a, last);
      }
      if (ComesBefore(last, step.a)) {
        last = step.a;
      }
    }
  }

  absl::Span<const MeetingPoint> points_;
  std::vector<PointLevels> levels_;
  MeetingPlan plan_;
};

}  // namespace

Node* MeetingPoint::NodeOfA() const {
  return block_a != nullptr ? block_a->param_node() : a->node();
}

Node* MeetingPoint::NodeOfB() const { return b->node(); }

MeetingPlan PlanMeetings(absl::Span<const MeetingPoint> points) {
  return Planner(points).Run();
}

}  // namespace ns
