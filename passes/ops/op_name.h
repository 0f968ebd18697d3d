// Checks names of ops as users write them:
//
//   if (IsOperator(op) ? !IsKnownOperator(op) : op.empty()) {
//     return UnknownOp(op);
//   }
//
// Types of modules and names of functions are not checked here: only the models
// tell whether they exist.
#ifndef PASSES_OPS_OP_NAME_H_
#define PASSES_OPS_OP_NAME_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ns {

// Returns whether `name` is written as an operator, with "::" in it:
// "aten::relu", whether or not there is such an operator. False for the type of
// a module or the name of a function, "my.package.Block", and for "".
bool IsOperator(absl::string_view name);

// Returns whether the operator `name` exists: the op table has it
// (passes/ops/op_table.h; "aten::relu_" is found as "aten::relu"), or it is
// registered with LibTorch in this process, by LibTorch itself or by a library
// that is loaded. Precondition: IsOperator(name). LibTorch throws a c10::Error
// for any other name.
bool IsKnownOperator(absl::string_view name);

// Makes the error for a `name` that the caller has found to be unknown or
// empty. It checks nothing, and never returns OK: the status is NotFound, "no
// operator 'my::op'; load the library that registers it first".
absl::Status UnknownOp(absl::string_view name);

}  // namespace ns

#endif  // PASSES_OPS_OP_NAME_H_
