// What the inputs of a shadow module pass through when a graph runs.
//
// Registered as ns::float_copy(t x) -> t, for values of any type.
#ifndef PASSES_RUNTIME_FLOAT_COPY_H_
#define PASSES_RUNTIME_FLOAT_COPY_H_

#include <ATen/core/ivalue.h>

namespace ns {

// `value` with every tensor replaced by AsFloat of it (dtype_casts.h), inside
// lists, tuples and dicts too. Tensors and containers are copies: what works in
// place on the result does not change `value`. Values without tensors are
// handed on as they are.
c10::IValue FloatCopy(const c10::IValue& value);

}  // namespace ns

#endif  // PASSES_RUNTIME_FLOAT_COPY_H_
