// Packs the weights of LibTorch's packed layers again for ns kernels.
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
// Each function returns an error for an object of another class, for one that
// cannot be unpacked, and for one whose weight has a dtype that the ns kernel
// does not take.
class Repacker {
 public:
  // `numerics` is the saturation mode of the layers.
  explicit Repacker(kernels::SaturationMode numerics) : numerics_(numerics) {}

  // Returns an ns.FbgemmLinear, made of a quantized.LinearPackedParamsBase.
  absl::StatusOr<c10::IValue> Linear(const c10::IValue& packed);

  // Returns an ns.FbgemmConv, made of a quantized.Conv2dPackedParamsBase or
  // Conv3dPackedParamsBase, transposed or not. LibTorch packs a conv1d as a
  // conv2d of height 1: `is_1d` says that it is one.
  absl::StatusOr<c10::IValue> Conv(const c10::IValue& packed, bool is_1d);

  // Returns an ns.FbgemmEmbedding, made of a
  // quantized.EmbeddingPackedParamsBase.
  absl::StatusOr<c10::IValue> Embedding(const c10::IValue& packed);

 private:
  // Returns what `repack` made of `packed` when it was first asked for.
  // `repack` may throw.
  absl::StatusOr<c10::IValue> Once(
      const c10::IValue& packed,
      absl::FunctionRef<absl::StatusOr<c10::IValue>()> repack);

  kernels::SaturationMode numerics_;
  struct Repacked {
    // The packed object. Keeping it alive keeps its address, the key, unique.
    c10::IValue from;
    c10::IValue to;
  };
  // What was repacked, by the address of the packed object.
  absl::flat_hash_map<const void*, Repacked> cache_;
};

}  // namespace ns

#endif  // PASSES_LOWERING_REPACK_H_
