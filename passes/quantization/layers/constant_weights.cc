#include "passes/quantization/layers/constant_weights.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/aliasing/written_in_place.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "passes/runtime/observers/quantized_weight.h"

namespace ns {
namespace {

// `found` is an observer that has seen the weight, or the config of one that is
// to see it alone.
template <typename Found>
absl::StatusOr<at::Tensor> Quantized(const at::Tensor& weight,
                                     const Found& found) {
  if (weight.scalar_type() != at::kFloat) {
    return Refusal(absl::StrCat("its weight is of type ",
                                c10::toString(weight.scalar_type()),
                                "; quantized layers compute in Float"));
  }
  absl::StatusOr<at::Tensor> quantized =
      CatchTorchErrors([&]() -> absl::StatusOr<at::Tensor> {
        if (!at::isfinite(weight).all().item<bool>()) {
          return Refusal("its weight has values that are not finite");
        }
        return QuantizedWeight(weight, found);
      });
  NS_RETURN_IF_ERROR(
      RefusalOf("its weight cannot be quantized", quantized.status()));
  return quantized;
}

}  // namespace

using ::torch::jit::Value;

absl::StatusOr<at::Tensor> ConstantTensor(const Value& value,
                                          absl::string_view what) {
  if (value.node()->kind() == c10::aten::dequantize) {
    return Refusal(absl::StrCat(what, " is quantized already"));
  }
  const std::optional<c10::IValue> constant = ConstantOf(value);
  if (!constant || !(constant->isTensor() || constant->isNone())) {
    return Refusal(absl::StrCat(what, " is not constant"));
  }
  if (constant->isNone()) {
    return at::Tensor();
  }
  if (IsWrittenInPlace(value)) {
    return Refusal(absl::StrCat("an op in place writes to ", what));
  }
  return constant->toTensor().detach();
}

absl::StatusOr<std::vector<ConstantElement>> ConstantElements(
    const Value& list) {
  std::vector<ConstantElement> elements;
  if (IsWrittenTo(list)) {
    return Refusal("its parameters are not constant");
  }
  if (const std::optional<c10::IValue> constant = ConstantOf(list)) {
    for (const at::Tensor& tensor : constant->toTensorVector()) {
      elements.push_back({tensor.detach(), nullptr, &list});
    }
    return elements;
  }
  if (list.node()->kind() != c10::prim::ListConstruct) {
    return Refusal("its parameters are not constant");
  }
  for (const Value* element : list.node()->inputs()) {
    NS_ASSIGN_OR_RETURN(at::Tensor tensor,
                        ConstantTensor(*element, "a parameter of it"));
    elements.push_back(
        {std::move(tensor), const_cast<Value*>(element), element});
  }
  return elements;
}

absl::StatusOr<at::Tensor> QuantizedBySpec(const at::Tensor& weight,
                                           const ObserverSpec& spec) {
  return Quantized(weight, spec.config);
}

absl::StatusOr<at::Tensor> QuantizedByObserver(const at::Tensor& weight,
                                               const Observer& observer) {
  return Quantized(weight, observer);
}

}  // namespace ns
