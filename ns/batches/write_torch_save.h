// Writes files that Python's torch.load reads.
#ifndef NS_BATCHES_WRITE_TORCH_SAVE_H_
#define NS_BATCHES_WRITE_TORCH_SAVE_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace ns {

// Writes `value`, made of dense tensors on the CPU, None, bools, numbers,
// strings, tuples (named ones lose their names), lists and dicts, to `path` as
// torch.save does. It must hold nothing else. torch::pickle_save is not enough:
// it marks lists and dicts with TorchScript's types, which torch.load refuses
// with weights_only, and has the whole file in memory.
//
// Quantized tensors keep their scales, strides are kept, and the whole storage
// of a view is written, once for all views of it. Returns the size of the file
// in bytes.
//
// Error: a phrase that continues "<path>: ": the file cannot be written, or a
// value has no pickle. The file may then be there in part, and what stood in it
// before is gone.
absl::StatusOr<int64_t> WriteTorchSave(const std::string& path,
                                       const c10::IValue& value);

}  // namespace ns

#endif  // NS_BATCHES_WRITE_TORCH_SAVE_H_
