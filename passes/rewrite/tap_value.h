// Puts taps on values of a graph.
#ifndef PASSES_REWRITE_TAP_VALUE_H_
#define PASSES_REWRITE_TAP_VALUE_H_

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "passes/runtime/observers/value_tap.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Lets a model call `function` with `value`, a tensor, and use what that
// returns, %seen, in its place from there on:
//
//   %y = aten::linear(%x, %weight, %bias)
// becomes
//   %y = aten::linear(%x, %weight, %bias)
//   %tap = prim::GetAttr[name="ns_tap_0"](%self)
//   %seen = prim::CallMethod[name="forward"](%tap, %y)
//
// The function runs each time the value is made. It gets the model's own
// tensor: to keep that, copy it, as ops in place may write to it later. To
// watch only, return it. What is returned must have the dtype of the value.
// Errors: a value that is no tensor; a graph whose first input is no module
// (ModelGraph::AroundGraph), where the attribute stays in the model's module.
absl::Status TapValue(ModelGraph& model, torch::jit::Value& value,
                      ValueTap::Function function);

// Does the same for one use: `function` gets node.input(index), which must
// exist, and what it returns becomes that input of `node`. Other uses of the
// value stay. Errors: those of TapValue.
absl::Status TapInput(ModelGraph& model, torch::jit::Node& node, size_t index,
                      ValueTap::Function function);

}  // namespace ns

#endif  // PASSES_REWRITE_TAP_VALUE_H_
