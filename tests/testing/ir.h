// IR text in tests.
#ifndef TESTS_TESTING_IR_H_
#define TESTS_TESTING_IR_H_

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/model_graph.h"

namespace ns {

// The graph that `text` describes. Throws when it does not parse.
std::shared_ptr<torch::jit::Graph> GraphOf(absl::string_view text);

// GraphOf(text) as a model: its module has no attributes.
ModelGraph ModelOf(absl::string_view text);

// Fails the test unless `graph` is the one that `text` describes, whatever its
// values are called.
void ExpectIr(const std::shared_ptr<torch::jit::Graph>& graph,
              absl::string_view text);

// All nodes of `graph`, those inside control flow too, in order of execution.
std::vector<torch::jit::Node*> AllNodes(const torch::jit::Graph& graph);

// The nodes of `graph` with the op `op`, as AllNodes.
std::vector<torch::jit::Node*> NodesOf(const torch::jit::Graph& graph,
                                       absl::string_view op);

// The `index`th of NodesOf. Throws when there are not as many.
torch::jit::Node* NodeOf(const torch::jit::Graph& graph, absl::string_view op,
                         size_t index = 0);

}  // namespace ns

#endif  // TESTS_TESTING_IR_H_
