// Puts taps on values of a graph.
#ifndef PASSES_REWRITE_TAP_VALUE_H_
#define PASSES_REWRITE_TAP_VALUE_H_

#include "absl/status/status.h"
#include "ir/model_graph.h"
#include "passes/runtime/observers/value_tap.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Lets `function` see `value`, a tensor, and all that uses it use what the
// function returns:
//
//   %y = aten::linear(%x, %weight, %bias)
// becomes
//   %y = aten::linear(%x, %weight, %bias)
//   %tap = prim::GetAttr[name="ns_tap_0"](%self)
//   %seen = prim::CallMethod[name="forward"](%tap, %y)
//
// It runs as often as the value is made, and gets the model's own tensor: copy
// that to keep it, as ops in place may write to it later. To watch only, return
// it; what is returned must have its dtype. Errors: a value that is no tensor;
// a graph whose first input is no module (ModelGraph::AroundGraph), where the
// attribute then stays.
absl::Status TapValue(ModelGraph& model, torch::jit::Value& value,
                      ValueTap::Function function);

// Lets `function` see node.input(index), which must exist, and `node` alone use
// what it returns, as that input alone. Errors: those of TapValue.
absl::Status TapInput(ModelGraph& model, torch::jit::Node& node, size_t index,
                      ValueTap::Function function);

}  // namespace ns

#endif  // PASSES_REWRITE_TAP_VALUE_H_
