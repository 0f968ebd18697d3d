// Finds values of a graph by their names in IR text, which LibTorch's parser
// does not keep.
#ifndef TESTS_TESTING_NAMED_GRAPH_H_
#define TESTS_TESTING_NAMED_GRAPH_H_

#include <memory>
#include <string>
#include <unordered_map>

#include "absl/strings/string_view.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

class NamedGraph {
 public:
  // Throws when `text` does not parse.
  explicit NamedGraph(absl::string_view text);

  torch::jit::Graph& operator*() const { return *graph_; }
  torch::jit::Graph* operator->() const { return graph_.get(); }
  const std::shared_ptr<torch::jit::Graph>& shared() const { return graph_; }

  // Returns the value `%name`, inside control flow too. Throws when there is
  // none.
  torch::jit::Value* Named(const std::string& name) const;

  // Returns the name of the first output of `node`. Throws when the text has no
  // such value, as for a node that a pass has inserted.
  std::string NameOf(const torch::jit::Node& node) const;

 private:
  std::shared_ptr<torch::jit::Graph> graph_;
  std::unordered_map<std::string, torch::jit::Value*> values_;
};

}  // namespace ns

#endif  // TESTS_TESTING_NAMED_GRAPH_H_
