// LibTorch's packed layers, packed again for ns kernels.
#ifndef PASSES_LOWERING_REPACK_H_
#define PASSES_LOWERING_REPACK_H_

#include <ATen/core/ivalue.h>

#include "absl/container/flat_hash_map.h"
#include "passes/kernels/numerics.h"

namespace ns {

// Repacks each layer once, however many ops share it.
//
// All throw c10::Error for an object of another class, one that cannot be
// unpacked, and one whose
// weight has another dtype than the layer takes.
class Repacker {
 public:
  explicit Repacker(kernels::Numerics numerics) : numerics_(numerics) {}

  // An ns.FbgemmLinear of a quantized.LinearPackedParamsBase.
  c10::IValue Linear(const c10::IValue& packed);

  // An ns.FbgemmConv of a quantized.Conv2dPackedParamsBase or
  // Conv3dPackedParamsBase, transposed or not. A conv1d is packed as a conv2d
  // of height 1.
  c10::IValue Conv(const c10::IValue& packed, bool is_1d);

  // An ns.FbgemmEmbedding of a quantized.EmbeddingPackedParamsBase.
  c10::IValue Embedding(const c10::IValue& packed);

 private:
  kernels::Numerics numerics_;
  // By the object that was repacked, which it keeps alive.
  struct Repacked {
    c10::IValue from;
    c10::IValue to;
  };
  absl::flat_hash_map<const void*, Repacked> cache_;
};

}  // namespace ns

#endif  // PASSES_LOWERING_REPACK_H_
