// Random networks as data: from one of them, tests make a float and a quantized
// graph whose values they can tell the places of.
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
  // The second summand of kAdd or factor of kMul.
  int other = -1;
  int out = -1;
  // Which weights (chain_layers.h); -1 for ops without.
  int layer = -1;
  bool in_place = false;
  // Whether another step has the same weights.
  bool is_called_again = false;
  // Path of the module; empty for a function call in the root's code. Some
  // steps share a module.
  std::string fqn;
  // The arms of kIf; the body of kLoop.
  std::vector<ChainBlock> blocks;
};

struct ChainValue {
  // Which float computation gives it: the same for a value and for what dropout
  // makes of it, and for no other two.
  int place = -1;
  // Spatial dimensions behind batch and channels; 0 for rows of features.
  int dims = 0;
  // Steps that take it, and blocks that return it.
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

// How often a kLoop runs.
inline constexpr int kChainTrips = 2;

// The network that `seed` stands for. No activation in it is a no-op behind the
// one before (relu behind relu or sigmoid): places differ in what they hold.
Chain RandomChain(int64_t seed);

// "conv2d", "relu_"; `dims` is that of its input.
std::string ChainOpName(const ChainStep& step, int dims);

// The steps as text, a line each: "%3 = conv2d(%2)  # features.0.conv". A value
// is written as its place.
std::string ChainText(const Chain& chain);

}  // namespace ns

#endif  // TESTS_TESTING_RANDOM_CHAIN_H_
