// LibTorch's packed layers, packed again for ns kernels.
#ifndef PASSES_LOWERING_REPACK_H_
#define PASSES_LOWERING_REPACK_H_

#include <ATen/core/ivalue.h>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "passes/kernels/saturation_mode.h"

namespace ns {

// Repacks each layer once, however many ops share it.
//
// Error: an object of another class, one that cannot be unpacked, and one whose
// weight has another dtype than the layer takes.
class Repacker {
 public:
  explicit Repacker(kernels::SaturationMode numerics) : numerics_(numerics) {}

  // An ns.FbgemmLinear of a quantized.LinearPackedParamsBase.
  absl::StatusOr<c10::IValue> Linear(const c10::IValue& packed);

  // An ns.FbgemmConv of a quantized.Conv2dPackedParamsBase or
  // Conv3dPackedParamsBase, transposed or not. A conv1d is packed as a conv2d
  // of height 1.
  absl::StatusOr<c10::IValue> Conv(const c10::IValue& packed, bool is_1d);

  // An ns.FbgemmEmbedding of a quantized.EmbeddingPackedParamsBase.
  absl::StatusOr<c10::IValue> Embedding(const c10::IValue& packed);

 private:
  // What `repack`, which may throw, made of `packed`, now or before.
  absl::StatusOr<c10::IValue> Once(
      const c10::IValue& packed,
      absl::FunctionRef<absl::StatusOr<c10::IValue>()> repack);

  kernels::SaturationMode numerics_;
  // By the object that was repacked, which it keeps alive.
  struct Repacked {
    c10::IValue from;
    c10::IValue to;
  };
  absl::flat_hash_map<const void*, Repacked> cache_;
};

}  // namespace ns

#endif  // PASSES_LOWERING_REPACK_H_
