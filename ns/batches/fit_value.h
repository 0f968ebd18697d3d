// Makes values from files fit the types that a method declares.
#ifndef NS_BATCHES_FIT_VALUE_H_
#define NS_BATCHES_FIT_VALUE_H_

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <string>

#include "absl/status/statusor.h"

namespace ns {

// Returns what a message calls `value`: "a tensor", "a list of 3", "an int".
std::string Described(const c10::IValue& value);

// Puts `message` on one line and shortens it: names in a file may hold any
// characters, and a damaged file holds long ones.
std::string OneLine(std::string message);

// Returns `value` as a value of `type`. Lists and dicts, whose element types a
// file does not tell, become new ones of the declared types, recursively; a
// tuple also fits a list, and an int a float. Tensors are shared.
//
// Error: "is a tensor where List[Tensor] is declared", or "at element 1 is an
// int where Tensor is declared"; it continues the name of the argument.
absl::StatusOr<c10::IValue> FitValue(const c10::IValue& value,
                                     const c10::TypePtr& type);

}  // namespace ns

#endif  // NS_BATCHES_FIT_VALUE_H_
