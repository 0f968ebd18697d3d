// Copies values with all tensors in them.
#ifndef IR_BASE_DEEP_COPY_H_
#define IR_BASE_DEEP_COPY_H_

#include <ATen/core/ivalue.h>

#include <utility>

#include "absl/container/flat_hash_map.h"

namespace ns {

// Copies values that may share tensors, lists or objects: what stands at
// several places, in one call of Copy or in several, is copied once, and its
// copy stands at these places. The copier keeps all that it was given.
//
// IValue::deepcopy cannot be used for values that hold several tensors: it
// takes all views of one storage for the first that it comes to, so that of a
// list of the rows of a tensor it makes a list of copies of the first row.
class DeepCopier {
 public:
  // Returns a copy of `value` in which tensors, lists, tuples and dicts are
  // other ones, at any depth. The copy of a tensor has the same values, sizes,
  // dtype and, of a leaf of autograd, requires_grad; what was computed with
  // gradients becomes a plain tensor. The strides are the same if the elements
  // of the tensor neither overlap nor leave gaps. It has a storage of its own,
  // so that the copies of two views of one storage share nothing. Objects,
  // custom classes among them, are copied as IValue::deepcopy does. Throws
  // c10::Error for what LibTorch cannot copy, such as a generator.
  c10::IValue Copy(const c10::IValue& value);

 private:
  c10::IValue CopyOnce(const c10::IValue& value);

  // By the address of what was copied; with the original, so that no other
  // value gets its address.
  absl::flat_hash_map<const void*, std::pair<c10::IValue, c10::IValue>> copies_;
};

}  // namespace ns

#endif  // IR_BASE_DEEP_COPY_H_
