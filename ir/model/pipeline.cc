#include "ir/model/pipeline.h"

#include <memory>
#include <utility>

#include "ir/base/status.h"

namespace ns {

absl::StatusOr<bool> Pipeline::Run(ModelGraph& model,
                                   PassContext& context) const {
  return Run(model, context, {});
}

absl::StatusOr<bool> Pipeline::Run(ModelGraph& model, PassContext& context,
                                   PassRunOptions options) const {
  if (options.pipeline.empty()) {
    options.pipeline = name_;
  }
  PassRunner runner(options, context);
  bool any_changed = false;
  for (const std::unique_ptr<Pass>& pass : passes_) {
    NS_ASSIGN_OR_RETURN(const bool changed, runner.Run(*pass, model));
    any_changed |= changed;
  }
  return any_changed;
}

}  // namespace ns
