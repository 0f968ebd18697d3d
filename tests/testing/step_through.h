// Runs a graph op by op, and shows each op's inputs and outputs.
#ifndef TESTS_TESTING_STEP_THROUGH_H_
#define TESTS_TESTING_STEP_THROUGH_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <functional>
#include <vector>

namespace ns {

// Called after each op with the node, its inputs and its outputs; not for
// constants, control flow and ops that only the interpreter runs, such as
// prim::ListConstruct. What an op in place has written is in its inputs, too.
using SeeOp = std::function<void(const torch::jit::Node& node,
                                 const std::vector<c10::IValue>& inputs,
                                 const std::vector<c10::IValue>& outputs)>;

// Runs `graph`, without optimization, on `inputs`, with prim::If and
// prim::Loop, and returns its outputs. Throws what operators throw.
std::vector<c10::IValue> StepThrough(const torch::jit::Graph& graph,
                                     const std::vector<c10::IValue>& inputs,
                                     const SeeOp& see);

}  // namespace ns

#endif  // TESTS_TESTING_STEP_THROUGH_H_
