// Tells loggers that only look at their tensors from those that may change
// them.
#ifndef PASSES_INSTRUMENT_LOGGER_WRITES_H_
#define PASSES_INSTRUMENT_LOGGER_WRITES_H_

#include <ATen/core/ivalue.h>

namespace ns {

// Whether `forward` of `logger`, an object (CheckLogger in logger_info.h), may
// write to the tensors that it is given. A scripted logger may if some op in
// it, or in what it calls, works in place on a tensor, even one of its own: it
// may have kept the tensor of an earlier call. Appending to a list is no such
// op. The code of a C++ class cannot be seen: it may unless it derives from
// Logger (passes/runtime/loggers/logger.h), whose subclasses must not.
bool MayWriteToTensors(const c10::IValue& logger);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_LOGGER_WRITES_H_
