// What every pass that rewrites a model in place has in common.
#ifndef IR_PASS_H_
#define IR_PASS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

class ModelGraph;
class PassContext;

// Rewrites one model in place: its graph, and the attributes of its module that
// the graph reads. A pass holds options and nothing else, so that one object
// may run on any number of models, in any order, from any thread. What it has
// to tell goes to the context.
//
// A pass enters the blocks of prim::If and prim::Loop, leaves names and module
// paths (ir/module_path.h) on what it makes, and leaves the graph well formed
// (ir/verifier.h). What it cannot rewrite it leaves as it was and remarks on:
// that is not an error. What returns something else than a model is a free
// function and not a pass; what rewrites two models together is a PairPass
// (passes/pipeline/pair_pass.h).
class Pass {
 public:
  virtual ~Pass() = default;

  // How pipelines and command lines call the pass: "lower-to-fbgemm".
  virtual absl::string_view name() const = 0;

  // Returns whether the canonical text of the graph (ir/text.h) differs
  // afterwards. Exceptions of LibTorch do not leave it. Error: a model, or
  // options, that the pass cannot work with; the message tells the caller
  // which. The graph is then still well formed.
  virtual absl::StatusOr<bool> Run(ModelGraph& model,
                                   PassContext& context) const = 0;
};

}  // namespace ns

#endif  // IR_PASS_H_
