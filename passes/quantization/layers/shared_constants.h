// Makes constants that layers with the same weights share.
#ifndef PASSES_QUANTIZATION_LAYERS_SHARED_CONSTANTS_H_
#define PASSES_QUANTIZATION_LAYERS_SHARED_CONSTANTS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// What is made of one or more float tensors: a packed object or a tensor.
struct QuantizedConstant {
  c10::IValue value;
  // The quantized weights in it, for reports; empty when there are none.
  std::vector<at::Tensor> weights;
};

// The constants of one graph. They stand at its front, where all of it can use
// them. A layer that is called twice, or in both arms of a prim::If, has one.
class SharedConstants {
 public:
  struct Entry {
    torch::jit::Value* value = nullptr;
    std::vector<at::Tensor> weights;
  };
  using Make = std::function<absl::StatusOr<QuantizedConstant>()>;

  // `graph` must outlive the object.
  explicit SharedConstants(torch::jit::Graph& graph) : graph_(graph) {}

  // Returns the constant of this kind ("linear") that was made from `tensors`
  // as `spec` says. When there is none yet, adds what `make` returns, with the
  // module path and source line of `user`, and named `name` unless that is
  // empty. Tensors are the same when they are the same elements in the same
  // memory. There is at least one; it may be undefined. `make` must not call
  // Get. The entry lives until DropUnused. Error: that of `make`, or a value
  // that cannot be a constant.
  absl::StatusOr<const Entry*> Get(absl::string_view kind,
                                   absl::Span<const at::Tensor> tensors,
                                   const ObserverSpec& spec,
                                   const torch::jit::Node& user,
                                   const std::string& name, const Make& make);

  // Destroys the constants that nothing in the graph uses, and all entries. Get
  // must not be called afterwards.
  void DropUnused();

 private:
  struct Known {
    std::string kind;
    std::vector<at::Tensor> tensors;
    ObserverSpec spec;
    std::unique_ptr<Entry> entry;
  };

  torch::jit::Graph& graph_;
  // By the memory of the first tensor.
  absl::flat_hash_map<const void*, std::vector<Known>> known_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_SHARED_CONSTANTS_H_
