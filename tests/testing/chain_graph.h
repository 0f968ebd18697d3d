// Graphs that compute a network of random_chain.h as flows of PyTorch write it
// down: as it is, or quantized in one of many ways.
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

// Each is the chance of a choice, taken anew wherever it arises.
struct ChainGraphOptions {
  // Of a run of steps: computed by int8 ops, or by dynamically quantized linear
  // layers among float ops; in float otherwise.
  double quantized = 0;
  double dynamic = 0;
  // That the next step belongs to another run.
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
  // What names of values begin with.
  std::string name_prefix = "a";
};

// Of a value of a network: the scale and zero point it is quantized with.
struct ChainQuantization {
  double scale = 0.05;
  int64_t zero_point = 64;
};

struct ChainGraph {
  // Takes a tensor and, for all ifs, a bool; gives a float tensor.
  std::shared_ptr<torch::jit::Graph> graph;
  // The place of each tensor in the graph, by its name. Copies of the graph and
  // lowering keep names.
  absl::flat_hash_map<std::string, int> places;
};

// By value of `chain`; all alike when `quantization` is empty. Choices follow
// from `seed`.
ChainGraph MakeChainGraph(const Chain& chain, const ChainGraphOptions& options,
                          const std::vector<ChainQuantization>& quantization,
                          int64_t seed);

}  // namespace ns

#endif  // TESTS_TESTING_CHAIN_GRAPH_H_
