// A pool of small layers for the networks of random_chain.h: made and packed
// once, and used by all of them.
#ifndef TESTS_TESTING_CHAIN_LAYERS_H_
#define TESTS_TESTING_CHAIN_LAYERS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <array>

namespace ns {

// All layers take and give as many channels.
inline constexpr int kChainChannels = 4;
// Of each kind. Norms are numbered up to twice as many: the first half stands
// behind the layer of the same number.
inline constexpr int kChainLayers = 16;

struct ChainNorm {
  at::Tensor weight;
  at::Tensor bias;
  at::Tensor mean;
  at::Tensor variance;
};

inline constexpr double kChainEpsilon = 1e-5;

struct ChainWeights {
  at::Tensor weight;
  at::Tensor bias;
  // As the packed parameters of a quantized op.
  const c10::IValue& PackedFor(bool relu, bool is_dynamic) const {
    return packed[(relu ? 1 : 0) + (is_dynamic ? 2 : 0)];
  }

  // An object for each kind of op: oneDNN keeps in it what it prepared for the
  // first op that ran.
  std::array<c10::IValue, 4> packed;
};

// The norm of that number, up to 2 * kChainLayers.
const ChainNorm& ChainNormAt(int number);

// A convolution over `dims` spatial dimensions (window 3, padding 1), or with 0
// a linear layer. With `folded`, the norm of the same number is folded into it.
// Packed for the engine of the first call.
const ChainWeights& ChainWeightsAt(int dims, int number, bool folded);

}  // namespace ns

#endif  // TESTS_TESTING_CHAIN_LAYERS_H_
