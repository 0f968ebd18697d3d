// Reads numbers from what scripted modules of the user return.
#ifndef IR_BASE_NUMBER_OF_H_
#define IR_BASE_NUMBER_OF_H_

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include "absl/status/statusor.h"

namespace ns {

// Returns whether values of `type` can be numbers for NumberOf: float, int,
// bool, Tensor, or a type that does not say, such as Any.
bool MayBeNumber(const c10::Type& type);

// Returns `value` as a number: a float, an int, a bool (0 or 1), or a tensor of
// one element. Throws c10::Error where the element is not a real number.
//
// Error: "it returned a tensor of 3 elements", "it returned a value of type
// str".
absl::StatusOr<double> NumberOf(const c10::IValue& value);

}  // namespace ns

#endif  // IR_BASE_NUMBER_OF_H_
