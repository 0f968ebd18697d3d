// Values from files, made to fit the types that a method declares.
#ifndef NS_BATCHES_FIT_VALUE_H_
#define NS_BATCHES_FIT_VALUE_H_

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <string>

#include "absl/status/statusor.h"

namespace ns {

// "a tensor", "a list", "an int": what a message calls `value`.
std::string Described(const c10::IValue& value);

// `message` on one line: names in a file may hold any characters, and a damaged
// file holds long ones.
std::string OneLine(std::string message);

// `value` as a value of `type`. Lists and dicts, whose element types a file
// does not tell, become new ones of the declared types, recursively; a tuple
// fits a list too, an int a float. Tensors are shared.
//
// Error: "is a tensor where List[Tensor] is declared", or "at element 1 is an
// int where Tensor is declared", to go on after the name of the argument.
absl::StatusOr<c10::IValue> FitValue(const c10::IValue& value,
                                     const c10::TypePtr& type);

}  // namespace ns

#endif  // NS_BATCHES_FIT_VALUE_H_
