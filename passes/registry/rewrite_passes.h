// Wraps rewrites as passes, under the names that pipelines use. Run returns the
// errors of the function that it calls, and what LibTorch throws as an error.
// Lowered models run through them in this order: lower-to-fbgemm, fuse-lowered,
// fuse-sums, drop-roundings, count-saturation.
#ifndef PASSES_REGISTRY_REWRITE_PASSES_H_
#define PASSES_REGISTRY_REWRITE_PASSES_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"

namespace ns {

// Replaces futures by values, in a graph whose forks are inlined: see
// ir/flatten/replace_futures.h. Error, too: a graph that still has a
// prim::fork.
class ReplaceFuturesPass final : public Pass {
 public:
  absl::string_view name() const override { return "replace-futures"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Moves activations into lowered layers: see passes/lowering/fuse_lowered.h.
class FuseLoweredPass final : public Pass {
 public:
  absl::string_view name() const override { return "fuse-lowered"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Fuses lowered convolutions into the sums behind them. It runs after
// fuse-lowered; passes/lowering/fuse_sums.h says how outputs change.
class FuseSumsPass final : public Pass {
 public:
  absl::string_view name() const override { return "fuse-sums"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Drops roundings that nothing needs: see passes/lowering/drop_roundings.h,
// which says how outputs change. It runs after fuse-lowered.
class DropRoundingsPass final : public Pass {
 public:
  absl::string_view name() const override { return "drop-roundings"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Lets float 2d convolutions run with the batch norm behind them folded in: see
// passes/instrument/pair/fuse_float_convs.h. Values stay within 1e-4 of what
// they were, relative to their norm. Error, too: a graph that has convolutions,
// and no module to hang attributes on.
class FuseFloatConvsPass final : public Pass {
 public:
  absl::string_view name() const override { return "fuse-float-convs"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

// Gives lowered layers counters of saturation: see
// passes/emulation/add_saturation_counters.h. It runs last: an output that is
// counted is not fused any more. A model that has counters already is left as
// it is. Error, too: a graph without a module.
class CountSaturationPass final : public Pass {
 public:
  absl::string_view name() const override { return "count-saturation"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

}  // namespace ns

#endif  // PASSES_REGISTRY_REWRITE_PASSES_H_
