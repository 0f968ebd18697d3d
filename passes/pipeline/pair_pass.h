// Declares the interface of passes that rewrite two models together.
#ifndef PASSES_PIPELINE_PAIR_PASS_H_
#define PASSES_PIPELINE_PAIR_PASS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/model/model_graph.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

class PassContext;

// A float model, the quantized model that was made from it, and their matches.
struct MatchedModels {
  ModelGraph a;
  ModelGraph b;
  // What the pass `match` found; absent before it, and after a pass that
  // removed matched nodes without reporting it. Points into both graphs.
  std::optional<MatchResult> matches;
};

// Rewrites two models together; otherwise it is like Pass (ir/graph/pass.h).
class PairPass {
 public:
  virtual ~PairPass() = default;

  // The name of the pass in pipelines: "add-loggers".
  virtual absl::string_view name() const = 0;

  // Returns whether the canonical text of either graph differs afterwards.
  // Errors: as Pass::Run, or matches that are needed and absent.
  virtual absl::StatusOr<bool> Run(MatchedModels& models,
                                   PassContext& context) const = 0;
};

}  // namespace ns

#endif  // PASSES_PIPELINE_PAIR_PASS_H_
