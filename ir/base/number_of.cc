#include "ir/base/number_of.h"

#include <ATen/core/Tensor.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ns {

bool MayBeNumber(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::AnyType:
    case c10::TypeKind::BoolType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::IntType:
    case c10::TypeKind::NumberType:
    case c10::TypeKind::TensorType:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<double> NumberOf(const c10::IValue& value) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (!tensor.defined() || tensor.numel() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("it returned a tensor of ",
                       tensor.defined() ? tensor.numel() : 0, " elements"));
    }
    return tensor.item<double>();
  }
  if (value.isBool()) {
    return static_cast<double>(value.toBool());
  }
  if (!value.isInt() && !value.isDouble()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it returned a value of type ", value.type()->annotation_str()));
  }
  return value.toScalar().to<double>();
}

}  // namespace ns
