// Builds graphs that compute a network of random_chain.h, in the forms that
// flows of PyTorch produce: in float, or quantized in one of many ways.
#ifndef TESTS_TESTING_CHAIN_GRAPH_H_
#define TESTS_TESTING_CHAIN_GRAPH_H_

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tests/testing/random_chain.h"

namespace ns {

// Each number is the probability of a choice, which is made anew wherever it
// arises.
struct ChainGraphOptions {
  // The probabilities that a run of steps is computed by int8 ops, or by
  // dynamically quantized linear layers among float ops. Otherwise it is in
  // float.
  double quantized = 0;
  double dynamic = 0;
  // The next step belongs to another run.
  double change = 0.3;
  // A norm is folded into the layer in front of it.
  double folds = 0;
  // A relu moves into the quantized op in front of it.
  double fuses = 0;
  // Dropout is left out.
  double drops = 0;
  // Each consumer dequantizes for itself.
  double dequantizes_again = 0.5;
  // Whether nodes have module paths, and what those begin with.
  bool has_paths = false;
  std::string path_prefix;
  // The prefix of names of values.
  std::string name_prefix = "a";
};

// The scale and zero point that a value of a network is quantized with.
struct ChainQuantization {
  double scale = 0.05;
  int64_t zero_point = 64;
};

struct ChainGraph {
  // The graph takes a tensor and a bool for all ifs, and returns a float
  // tensor.
  std::shared_ptr<torch::jit::Graph> graph;
  // The place of each tensor in the graph, by its name. Copies of the graph and
  // lowering keep names.
  absl::flat_hash_map<std::string, int> places;
};

// Makes a graph for `chain`. `quantization` is indexed by value of `chain`;
// when it is empty, all values have the same. Choices follow from `seed`.
ChainGraph MakeChainGraph(const Chain& chain, const ChainGraphOptions& options,
                          const std::vector<ChainQuantization>& quantization,
                          int64_t seed);

}  // namespace ns

#endif  // TESTS_TESTING_CHAIN_GRAPH_H_
