// Checks names of ops as users write them.
#ifndef PASSES_OPS_OP_NAME_H_
#define PASSES_OPS_OP_NAME_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ns {

// True for an operator, "aten::relu"; false for the type of a module or the
// name of a function, "my.package.Block".
bool IsOperator(absl::string_view name);

// True for an operator that the op table or this process knows.
bool IsKnownOperator(absl::string_view name);

// Returns the error for an operator that is not known, or for an empty name.
absl::Status UnknownOp(absl::string_view name);

}  // namespace ns

#endif  // PASSES_OPS_OP_NAME_H_
