// Files that Python's torch.save wrote.
#ifndef NS_TORCH_SAVE_H_
#define NS_TORCH_SAVE_H_

#include <ATen/core/ivalue.h>

#include "absl/status/statusor.h"

namespace caffe2::serialize {
class PyTorchStreamReader;
}  // namespace caffe2::serialize

namespace ns {

// The value that torch.save wrote to `archive`, whose record data.pkl is its
// pickle.
//  * Tensors, quantized ones too, are on the CPU whatever device they were on,
//    and need no gradient; nn.Parameters are tensors. Views that shared a
//    storage share it still, and keep their strides.
//  * Lists and dicts have the element type Any, an OrderedDict is a dict, a
//    torch.Size a list of int, a dtype an int, a device the CPU.
// Nothing else is supported: no sparse tensors, NumPy arrays or objects of
// Python classes.
//
// Safe on damaged archives. Error: a phrase that goes on after "<path>: ".
absl::StatusOr<c10::IValue> ReadTorchSave(
    caffe2::serialize::PyTorchStreamReader& archive);

}  // namespace ns

#endif  // NS_TORCH_SAVE_H_
