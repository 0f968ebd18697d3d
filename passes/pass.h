// What every pass that rewrites a graph in place has in common.
#ifndef PASSES_PASS_H_
#define PASSES_PASS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Rewrites one graph in place. A pass holds options and nothing else, so that
// one object may run on any number of graphs, in any order, from any thread.
//
// A pass enters the blocks of prim::If and prim::Loop, leaves names and module
// paths (ir/module_path.h) on what it makes, and leaves the graph well formed
// (ir/verifier.h). What it cannot rewrite it leaves as it was: that is not an
// error. What needs two graphs, or returns something else than a graph, is a
// free function and not a pass.
class Pass {
 public:
  virtual ~Pass() = default;

  // How pipelines and command lines call the pass: "fold-quant-pairs".
  virtual absl::string_view name() const = 0;

  // Returns whether the graph changed. Exceptions of LibTorch do not leave it.
  // Error: a graph, or options, that the pass cannot work with; the message
  // tells the caller which. The graph is then still well formed.
  virtual absl::StatusOr<bool> Run(torch::jit::Graph& graph) const = 0;
};

}  // namespace ns

#endif  // PASSES_PASS_H_
