// Lets C++ code see, and change, a value of a graph as it runs.
#ifndef PASSES_RUNTIME_OBSERVERS_VALUE_TAP_H_
#define PASSES_RUNTIME_OBSERVERS_VALUE_TAP_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <functional>
#include <utility>

namespace ns {

// Hands on what its function returns for each value that comes by. Graphs call
// it as torch.classes.ns.ValueTap, with the method `forward`. A copy of a
// module that shares attributes (ModelGraph::Clone, Module::copy) has the same
// taps. A tap that was saved and loaded, or copied deeply, has no function: it
// hands values on as they are.
class ValueTap : public torch::CustomClassHolder {
 public:
  using Function = std::function<at::Tensor(const at::Tensor& value)>;

  explicit ValueTap(Function function = nullptr)
      : function_(std::move(function)) {}

  // What the function throws goes through the graph to who runs it.
  at::Tensor Forward(const at::Tensor& value) const {
    return function_ ? function_(value) : value;
  }

 private:
  Function function_;
};

using ValueTapPtr = c10::intrusive_ptr<ValueTap>;

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_VALUE_TAP_H_
