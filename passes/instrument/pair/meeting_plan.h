// Plans how two graphs run in step (interleave.h): in which order their nodes
// run so that values to compare are at hand at once, and which never can be.
#ifndef PASSES_INSTRUMENT_PAIR_MEETING_PLAN_H_
#define PASSES_INSTRUMENT_PAIR_MEETING_PLAN_H_

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
  // The block at whose beginning `a` is to meet `b`: one inside the block that
  // makes `a` (MatchedSide::compared_in). Null: it meets where it is made.
  torch::jit::Block* block_a = nullptr;
  // Which tensor of `a` meets, as OutputTensor::place (op_outputs.h) has it: 0
  // where `a` is a tensor.
  size_t place_a = 0;

  // The node behind which each value is at hand. For parameters of a block, and
  // for block_a, it is the param_node of the block.
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
    // The points whose values meet then, as indices.
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
  // For each point: true where A runs on before B makes its value, so that the
  // value of A must be kept until then.
  std::vector<bool> a_is_early;
};

// `points` are of two graphs, which are not changed. A prim::If or prim::Loop
// of A runs as one with that of B which has the other values of its points.
MeetingPlan PlanMeetings(absl::Span<const MeetingPoint> points);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_MEETING_PLAN_H_
