// Parses and compares IR text in tests.
#ifndef TESTS_TESTING_IR_H_
#define TESTS_TESTING_IR_H_

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/model/model_graph.h"

namespace ns {

// Returns the graph that `text` describes. Throws when it does not parse.
std::shared_ptr<torch::jit::Graph> GraphOf(absl::string_view text);

// Returns GraphOf(text) as a model, with an empty module as a new first input.
ModelGraph ModelOf(absl::string_view text);

// Fails the test unless `graph` is the one that `text` describes, whatever its
// values are called.
void ExpectIr(const std::shared_ptr<torch::jit::Graph>& graph,
              absl::string_view text);

// Returns all nodes of `graph`, including those inside control flow, in order
// of execution.
std::vector<torch::jit::Node*> AllNodes(const torch::jit::Graph& graph);

// Returns the nodes of `graph` with the op `op`, in the same order.
std::vector<torch::jit::Node*> NodesOf(const torch::jit::Graph& graph,
                                       absl::string_view op);

// Returns the `index`th of NodesOf. Throws when there are fewer.
torch::jit::Node* NodeOf(const torch::jit::Graph& graph, absl::string_view op,
                         size_t index = 0);

}  // namespace ns

#endif  // TESTS_TESTING_IR_H_
