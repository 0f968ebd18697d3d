// Converts the values of a pickle to those of TorchScript.
#ifndef NS_BATCHES_PICKLED_VALUE_H_
#define NS_BATCHES_PICKLED_VALUE_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "absl/status/statusor.h"
#include "ir/files/pickle.h"
#include "ir/files/pickled_tensor.h"

namespace ns {

// Makes the tensors that a pickle describes.
class TensorMaker {
 public:
  virtual ~TensorMaker() = default;

  // Makes one tensor. `quantizer` is null for a tensor that is not quantized;
  // scales and zero points in it were made by this maker. Error: a phrase that
  // continues "<path>: ".
  virtual absl::StatusOr<at::Tensor> Make(
      const PickledTensor& pickled, const PickledQuantizer* quantizer) = 0;
};

// Converts `value` to the TorchScript value that it stands for.
//  * None, bools, numbers, strings, tuples and tensors are what they are; an
//    nn.Parameter is a tensor.
//  * Lists and dicts have the element type Any, and the keys of a dict are
//    strings, numbers or bools. An OrderedDict is a dict, a torch.Size a list
//    of int, a dtype an int, a device the CPU.
//  * What several places of `value` share is converted once, and shared.
// Anything else is an error: bytes, sparse tensors, NumPy arrays, objects of
// Python classes.
//
// Error: a phrase that continues "<path>: ".
absl::StatusOr<c10::IValue> ConvertPickled(const PickleValue& value,
                                           TensorMaker& tensors);

}  // namespace ns

#endif  // NS_BATCHES_PICKLED_VALUE_H_
