// Passes that turn a module hierarchy into one flat graph.
#ifndef IR_MODEL_LOADING_PASSES_H_
#define IR_MODEL_LOADING_PASSES_H_

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/flatten/inline_modules.h"
#include "ir/graph/pass.h"
#include "ir/model/pipeline.h"

namespace ns {

// Inlines calls of modules and functions, and records module paths: see
// ir/flatten/inline_modules.h. Calls that `is_leaf` is true of stay; null for
// none.
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

// Makes constants of parameters with LibTorch's freezing, which evaluates ops
// whose inputs are constants, in place, too (FoldWrittenConstants), but does
// not fold batch norms or remove dropout. Equal ops on equal values are not
// merged: they are two layers. ModelGraph::FromModule switches a module that it
// freezes to evaluation before. Freezing would inline calls of leaves: in a
// graph with such calls, the attributes that the graph itself reads become
// constants, and the leaf modules keep theirs.
class FreezePass final : public Pass {
 public:
  absl::string_view name() const override { return "freeze"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Turns the attributes that freezing has left into constants: see
// ir/flatten/fold_attributes.h.
class FoldAttributesPass final : public Pass {
 public:
  absl::string_view name() const override { return "fold-attributes"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Lets attention modules take their slow branches, whose parts are layers:
// see ir/flatten/pad_nested_tensors.h, ir/flatten/skip_fast_paths.h,
// ir/flatten/decompose_fast_paths.h, ir/flatten/resolve_identity.h and
// ir/flatten/use_checked_sizes.h. What is constant after that is computed.
// Models without such modules, checked sizes or comparisons of tensors by
// identity stay as they are.
class TakeSlowPathsPass final : public Pass {
 public:
  absl::string_view name() const override { return "take-slow-paths"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Gives convolutions constant numbers, where the graph has others: see
// ir/flatten/explicit_convolutions.h.
class ExplicitConvolutionsPass final : public Pass {
 public:
  absl::string_view name() const override { return "explicit-convolutions"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Makes linear layers of products with a constant weight: see
// ir/flatten/linear_of_addmm.h.
class LinearOfAddmmPass final : public Pass {
 public:
  absl::string_view name() const override { return "linear-of-addmm"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Removes checks that only raise: see ir/flatten/drop_exception_checks.h.
class DropExceptionChecksPass final : public Pass {
 public:
  absl::string_view name() const override { return "drop-exception-checks"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Removes tuples that are made and taken apart in the graph: their users use
// the elements.
class LowerTuplesPass final : public Pass {
 public:
  absl::string_view name() const override { return "lower-tuples"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Lets what comes after an in-place op use its result instead of the tensor
// that it wrote to: see ir/flatten/follow_writes.h.
class FollowWritesPass final : public Pass {
 public:
  absl::string_view name() const override { return "follow-writes"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Removes nodes whose outputs nothing uses and that have no side effect.
class EliminateDeadCodePass final : public Pass {
 public:
  absl::string_view name() const override { return "eliminate-dead-code"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// The pipeline "load" that ModelGraph::FromModule runs: the passes above in
// this order. Without `freeze`, parameters stay attributes: freeze,
// fold-attributes, explicit-convolutions and linear-of-addmm are left out.
Pipeline LoadingPipeline(LeafPredicate is_leaf, bool freeze);

}  // namespace ns

#endif  // IR_MODEL_LOADING_PASSES_H_
