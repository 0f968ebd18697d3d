// Makes random networks as data. From one of them, tests make a float and a
// quantized graph in which they know the place of each value.
#ifndef TESTS_TESTING_RANDOM_CHAIN_H_
#define TESTS_TESTING_RANDOM_CHAIN_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ns {

enum class ChainOp {
  kConv,
  kLinear,
  kNorm,
  kRelu,
  kRelu6,
  kHardtanh,
  kLeakyRelu,
  kHardswish,
  kSigmoid,
  kTanh,
  kDropout,
  kMaxPool,
  kAvgPool,
  kGlobalPool,
  kFlatten,
  kAdd,
  kMul,
  kIf,
  kLoop,
};

struct ChainStep;

// A run of steps, each on the result of the one before: a whole network, an arm
// of an if or the body of a loop.
struct ChainBlock {
  int input = -1;
  std::vector<ChainStep> steps;
  int output = -1;
};

// One float op. Values are indices into Chain::values.
struct ChainStep {
  ChainOp op = ChainOp::kRelu;
  int x = -1;
  // The second summand of kAdd or the second factor of kMul.
  int other = -1;
  int out = -1;
  // The number of its weights (chain_layers.h); -1 for ops without weights.
  int layer = -1;
  bool in_place = false;
  // Whether another step has the same weights.
  bool is_called_again = false;
  // The path of the module; empty for a function call in the root's code. Some
  // steps share a module.
  std::string fqn;
  // The arms of kIf; the body of kLoop.
  std::vector<ChainBlock> blocks;
};

struct ChainValue {
  // The float computation that gives the value. It is the same for a value and
  // for its dropout, and for no other two.
  int place = -1;
  // The number of spatial dimensions behind batch and channels; 0 for rows of
  // features.
  int dims = 0;
  // The number of steps that take it, and of blocks that return it.
  int uses = 0;
};

struct Chain {
  ChainBlock body;
  std::vector<ChainValue> values;
};

// The arguments of activations.
inline constexpr double kChainHardtanhMin = -0.8;
inline constexpr double kChainHardtanhMax = 0.9;
inline constexpr double kChainLeak = 0.1;

// The number of trips of a kLoop.
inline constexpr int kChainTrips = 2;

// Makes the network for `seed`. No activation in it is a no-op behind the one
// before (relu behind relu or sigmoid), so that the values of any two places
// differ.
Chain RandomChain(int64_t seed);

// Returns "conv2d", "relu_"; `dims` is that of its input.
std::string ChainOpName(const ChainStep& step, int dims);

// Returns the steps as text, a line each: "%3 = conv2d(%2)  # features.0.conv".
// A value is written as its place.
std::string ChainText(const Chain& chain);

}  // namespace ns

#endif  // TESTS_TESTING_RANDOM_CHAIN_H_
