// Makes a pool of small layers for the networks of random_chain.h. They are
// made and packed once, and used by all networks.
#ifndef TESTS_TESTING_CHAIN_LAYERS_H_
#define TESTS_TESTING_CHAIN_LAYERS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <array>

namespace ns {

// All layers take and return this many channels.
inline constexpr int kChainChannels = 4;
// The number of layers of each kind. Norms are numbered up to twice as many:
// the first half stands behind the layer of the same number.
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
  // Returns the weights as the packed parameters of a quantized op.
  const c10::IValue& PackedFor(bool relu, bool is_dynamic) const {
    return packed[(relu ? 1 : 0) + (is_dynamic ? 2 : 0)];
  }

  // The packed parameters, an object for each kind of op: oneDNN keeps in it
  // what it prepared for the first op that ran.
  std::array<c10::IValue, 4> packed;
};

// Returns the norm of that number, up to 2 * kChainLayers.
const ChainNorm& ChainNormAt(int number);

// Returns a convolution over `dims` spatial dimensions (window 3, padding 1),
// or a linear layer where `dims` is 0. With `folded`, the norm of the same
// number is folded into it. It is packed for the engine of the first call.
const ChainWeights& ChainWeightsAt(int dims, int number, bool folded);

}  // namespace ns

#endif  // TESTS_TESTING_CHAIN_LAYERS_H_
