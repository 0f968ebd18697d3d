#include "passes/quantization/layers/shared_constants.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <utility>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

const void* MemoryOf(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr() : nullptr;
}

// Whether both are the same elements of the same memory. Two constants of one
// parameter may be two tensor objects.
bool IsSame(const at::Tensor& a, const at::Tensor& b) {
  return a.defined() == b.defined() &&
         (!a.defined() ||
          (MemoryOf(a) == MemoryOf(b) && a.scalar_type() == b.scalar_type() &&
           a.sizes() == b.sizes() && a.strides() == b.strides()));
}

}  // namespace

absl::StatusOr<const SharedConstants::Entry*> SharedConstants::Get(
    absl::string_view kind, absl::Span<const at::Tensor> tensors,
    const ObserverSpec& spec, const Node& user, const std::string& name,
    const Make& make) {
  std::vector<Known>& alike = known_[MemoryOf(tensors.front())];
  for (const Known& known : alike) {
    if (known.kind == kind && known.spec == spec &&
        absl::c_equal(known.tensors, tensors, IsSame)) {
      return known.entry.get();
    }
  }
  NS_ASSIGN_OR_RETURN(QuantizedConstant made, make());
  NS_ASSIGN_OR_RETURN(
      Value * value, CatchTorchErrors([&] {
        const torch::jit::WithInsertPoint in_front(*graph_.nodes().begin());
        return graph_.insertConstant(made.value);
      }));
  value->node()->copyMetadata(const_cast<Node*>(&user));
  if (!name.empty()) {
    value->setDebugName(name);
  }
  alike.push_back(
      {std::string(kind),
       {tensors.begin(), tensors.end()},
       spec,
       std::make_unique<Entry>(Entry{value, std::move(made.weights)})});
  return alike.back().entry.get();
}

void SharedConstants::DropUnused() {
  for (auto& [memory, alike] : known_) {
    for (Known& known : alike) {
      if (!known.entry->value->hasUses()) {
        known.entry->value->node()->destroy();
      }
    }
  }
  known_.clear();
}

}  // namespace ns
