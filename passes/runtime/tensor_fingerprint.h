// Hashes the bits of tensors.
#ifndef PASSES_RUNTIME_TENSOR_FINGERPRINT_H_
#define PASSES_RUNTIME_TENSOR_FINGERPRINT_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ns {

// Returns a hash (xxHash64) of the elements of `tensor` in the order of their
// indices, of its shape and dtype and, where it is quantized, of its scales and
// zero points. Two tensors with equal hashes have equal bits, but for one pair
// in 2^64; memory formats do not count. `seed` makes the hash of equal tensors
// at different places differ. The tensor must be dense.
uint64_t TensorFingerprint(const at::Tensor& tensor, uint64_t seed);

}  // namespace ns

#endif  // PASSES_RUNTIME_TENSOR_FINGERPRINT_H_
