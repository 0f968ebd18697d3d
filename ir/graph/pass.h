// Declares the interface of every pass that rewrites one model in place.
#ifndef IR_GRAPH_PASS_H_
#define IR_GRAPH_PASS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

class ModelGraph;
class PassContext;

// Rewrites one model in place: its graph, and the attributes of its module that
// the graph reads. A pass holds options and nothing else, so that one object
// may run on any number of models, in any order, from any thread. What it has
// to report goes to the context.
//
// A pass enters the blocks of prim::If and prim::Loop, gives what it makes
// names and module paths (ir/graph/module_path.h), and leaves the graph well
// formed (ir/graph/verifier.h). Where it cannot rewrite something, it leaves
// that as it was and adds a remark: this is not an error. A function that
// returns something other than a model is a free function and not a pass; what
// rewrites two models together is a PairPass (passes/pipeline/pair_pass.h).
class Pass {
 public:
  virtual ~Pass() = default;

  // The name of the pass in pipelines and on command lines: "lower-to-fbgemm".
  virtual absl::string_view name() const = 0;

  // Returns whether the canonical text of the graph (ir/text/text.h) differs
  // afterwards. Exceptions of LibTorch do not leave it. Error: a model, or
  // options, that the pass cannot work with; the message tells the caller
  // which. The graph is then still well formed.
  virtual absl::StatusOr<bool> Run(ModelGraph& model,
                                   PassContext& context) const = 0;
};

}  // namespace ns

#endif  // IR_GRAPH_PASS_H_
