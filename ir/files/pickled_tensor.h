// Rebuilds tensors from what torch.save writes of them: windows into storages.
#ifndef IR_FILES_PICKLED_TENSOR_H_
#define IR_FILES_PICKLED_TENSOR_H_

#include <ATen/core/Tensor.h>
#include <c10/core/QScheme.h>
#include <c10/core/ScalarType.h>
#include <c10/core/Storage.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// Returns the dtype of "torch.FloatStorage", or none for a type of storage that
// LibTorch cannot read.
std::optional<c10::ScalarType> StorageDtype(absl::string_view storage_type);

// Returns the dtype that "torch.float32" names, or none.
std::optional<c10::ScalarType> DtypeNamed(absl::string_view name);

struct PickledTensor {
  // The name of the tensor's storage.
  std::string storage;
  c10::ScalarType dtype;
  // The offset, sizes and strides in the storage, in elements.
  int64_t offset = 0;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

struct PickledQuantizer {
  c10::QScheme scheme = c10::kPerTensorAffine;
  // The qparams of a per-tensor scheme.
  double scale = 1;
  int64_t zero_point = 0;
  // The qparams of a per-channel scheme.
  at::Tensor scales;
  at::Tensor zero_points;
  int64_t axis = 0;
};

// The bytes of a storage from `begin` up to but not including `end`.
struct ByteRange {
  int64_t begin = 0;
  int64_t end = 0;
};

// Returns the bytes of a storage of `storage_bytes` bytes from the first to the
// last that the tensor has; an empty range when it has no elements. Error: they
// are not inside the storage.
absl::StatusOr<ByteRange> BytesOf(const PickledTensor& pickled,
                                  int64_t storage_bytes);

// Both functions make a tensor; `quantizer` is null for one that is not
// quantized. Error: a window that is not inside the storage, or a quantizer
// that does not fit.
//
// Rebuild makes a tensor that shares `storage`. Outline makes one on the device
// "meta", which has sizes and strides but no bytes, and is not quantized.
absl::StatusOr<at::Tensor> Rebuild(const PickledTensor& pickled,
                                   const PickledQuantizer* quantizer,
                                   const c10::Storage& storage);
absl::StatusOr<at::Tensor> Outline(const PickledTensor& pickled,
                                   const PickledQuantizer* quantizer,
                                   int64_t storage_bytes);

}  // namespace ns

#endif  // IR_FILES_PICKLED_TENSOR_H_
