// Tells the calls that give a module's output from those of its helpers.
#ifndef NS_EAGER_FORWARD_CALLS_H_
#define NS_EAGER_FORWARD_CALLS_H_

#include <vector>

#include "absl/strings/string_view.h"

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ns {

// Whether `method` is `forward` or one of its overloads: `forward__0`,
// `forward__1` and so on, as TorchScript compiles them, or `forward_tensor` and
// `forward_packed` of PyTorch's dynamically quantized LSTM and GRU. Other
// methods whose names begin like that are helpers.
bool IsForward(absl::string_view method);

// Returns the calls of LeafCalls (ir/flatten/inline_modules.h) in `graph` that
// give the outputs of modules, in program order: those of a forward, as
// PyTorch's suite logs. Of a module whose forward is not called at all, such as
// a FloatFunctional, they are the calls of any method. No leaf may be a
// function.
std::vector<torch::jit::Node*> ForwardCalls(torch::jit::Graph& graph);

}  // namespace ns

#endif  // NS_EAGER_FORWARD_CALLS_H_
