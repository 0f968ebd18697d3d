// Passes that turn a module hierarchy into one flat graph.
#ifndef IR_LOADING_PASSES_H_
#define IR_LOADING_PASSES_H_

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/inline_modules.h"
#include "ir/pass.h"
#include "ir/pipeline.h"

namespace ns {

// Replaces calls of modules and functions by their code, and records module
// paths: see ir/inline_modules.h. Calls of leaves stay.
class InlineModulesPass final : public Pass {
 public:
  explicit InlineModulesPass(LeafPredicate is_leaf = nullptr)
      : is_leaf_(std::move(is_leaf)) {}
  absl::string_view name() const override { return "inline-modules"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;

 private:
  const LeafPredicate is_leaf_;
};

// Turns parameters into constants, and computes what depends on constants
// alone. Batch norms, dropout and constant arithmetic stay, and so do equal ops
// on equal values, which are layers of their own. Calls of leaves cannot be
// frozen, as freezing inlines them: where some stay, the attributes that the
// graph itself reads become constants, and the module keeps its own.
class FreezePass final : public Pass {
 public:
  absl::string_view name() const override { return "freeze"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Turns the attributes that freezing has left into constants: see
// ir/fold_attributes.h.
class FoldAttributesPass final : public Pass {
 public:
  absl::string_view name() const override { return "fold-attributes"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Removes checks that only raise: see ir/drop_exception_checks.h.
class DropExceptionChecksPass final : public Pass {
 public:
  absl::string_view name() const override { return "drop-exception-checks"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Makes users of a tuple that is made in the graph use its elements directly.
class LowerTuplesPass final : public Pass {
 public:
  absl::string_view name() const override { return "lower-tuples"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Makes what ops in place write visible as data flow: see ir/follow_writes.h.
class FollowWritesPass final : public Pass {
 public:
  absl::string_view name() const override { return "follow-writes"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Removes nodes whose outputs nothing uses, and that write to nothing.
class EliminateDeadCodePass final : public Pass {
 public:
  absl::string_view name() const override { return "eliminate-dead-code"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// The pipeline "load" that ModelGraph::FromModule runs: the passes above in
// this order. Without `freeze`, parameters stay attributes: freeze and
// fold-attributes are left out.
Pipeline LoadingPipeline(LeafPredicate is_leaf, bool freeze);

}  // namespace ns

#endif  // IR_LOADING_PASSES_H_
