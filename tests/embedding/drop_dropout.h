// Shows a pass that a host, a compiler which uses this library, adds itself.
#ifndef DROP_DROPOUT_H_
#define DROP_DROPOUT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nspasses/ir/graph/pass.h"

namespace compiler {

// Removes dropout that does nothing, as in evaluation.
//
//   %y = aten::dropout(%x, %p, %train)  # %train is false
//
// Uses of %y become uses of %x.
class DropDropout final : public ns::Pass {
 public:
  absl::string_view name() const override { return "drop-dropout"; }
  absl::StatusOr<bool> Run(ns::ModelGraph& model,
                           ns::PassContext& context) const override;
};

}  // namespace compiler

#endif  // DROP_DROPOUT_H_
