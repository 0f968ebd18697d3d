// Finds which values of two graphs can be at hand at once when both run in
// step, and in which order the nodes must run for it.
#ifndef PASSES_INSTRUMENT_MEETING_PLAN_H_
#define PASSES_INSTRUMENT_MEETING_PLAN_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace torch::jit {
struct Block;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// A value of graph A and the value of graph B that it is to meet.
struct MeetingPoint {
  torch::jit::Value* a = nullptr;
  torch::jit::Value* b = nullptr;
  // The block at whose beginning `a` comes by: one inside the block that makes
  // it. Null: it comes by where it is made.
  torch::jit::Block* block_a = nullptr;
  // Which tensor of `a` meets, as in OutputTensor: 0 where it is one itself.
  size_t place_a = 0;

  // The nodes behind which the values come by; the parameters of a block count
  // as one.
  torch::jit::Node* NodeOfA() const;
  torch::jit::Node* NodeOfB() const;
};

// How a block of A and a block of B run in step: step by step, and then each to
// its end.
struct BlockPlan {
  struct Step {
    // The nodes to run up to, and with, in each block; null where the values
    // that meet are parameters of the block.
    torch::jit::Node* a = nullptr;
    torch::jit::Node* b = nullptr;
    // Who meets then.
    std::vector<size_t> points;
    // When `a` and `b` are both prim::If or both prim::Loop, and values inside
    // meet: the plan of each pair of their blocks. Empty otherwise.
    std::vector<BlockPlan> blocks;
  };
  // In order of execution of B; each of A's nodes with blocks comes after those
  // of the steps before.
  std::vector<Step> steps;
};

struct MeetingPlan {
  BlockPlan top;
  // For each point: true where the values cannot be at hand at once, as one
  // stands in control flow that the other model does not have, or has
  // elsewhere. The point is in no step then.
  std::vector<bool> apart;
  // For each point: true where A has run on when B comes by.
  std::vector<bool> a_is_early;
};

// Control flow of A is paired with that of B by the points inside it.
MeetingPlan PlanMeetings(absl::Span<const MeetingPoint> points);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_MEETING_PLAN_H_
