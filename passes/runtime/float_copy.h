// Copies the inputs of a shadow module, in float, when a graph runs.
//
// The function is registered as the operator ns::float_copy(t x) -> t, for
// values of any type.
#ifndef PASSES_RUNTIME_FLOAT_COPY_H_
#define PASSES_RUNTIME_FLOAT_COPY_H_

#include <ATen/core/ivalue.h>

namespace ns {

// Returns `value` with each tensor replaced by AsFloat of it (dtype_casts.h),
// inside lists, tuples and dicts too. Tensors and containers are copies: ops in
// place on the result do not change `value`. Values without tensors are
// returned as they are.
c10::IValue FloatCopy(const c10::IValue& value);

}  // namespace ns

#endif  // PASSES_RUNTIME_FLOAT_COPY_H_
