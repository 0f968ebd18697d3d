// Tells whether a rewrite that does not say so has changed a graph.
#ifndef IR_MODEL_REWRITE_AND_COMPARE_H_
#define IR_MODEL_REWRITE_AND_COMPARE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/model/model_graph.h"
#include "ir/text/text.h"

namespace ns {

// Calls `rewrite`, which returns an absl::Status, and returns whether the
// CanonicalText of the model's graph differs afterwards: changes of a tensor
// constant that the text leaves out are not seen (ir/text/text.h). Error: that
// of `rewrite`, and what LibTorch throws in it (CatchTorchErrors with `what`);
// the graph is as `rewrite` left it.
template <typename Rewrite>
absl::StatusOr<bool> RewriteAndCompare(absl::string_view what,
                                       ModelGraph& model,
                                       const Rewrite& rewrite) {
  return CatchTorchErrors(what, [&]() -> absl::StatusOr<bool> {
    const std::string before = CanonicalText(model.shared_graph());
    NS_RETURN_IF_ERROR(rewrite());
    return CanonicalText(model.shared_graph()) != before;
  });
}

}  // namespace ns

#endif  // IR_MODEL_REWRITE_AND_COMPARE_H_
