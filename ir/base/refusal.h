// Lets rewrites say why they leave an op as it is: "does not match, because".
#ifndef IR_BASE_REFUSAL_H_
#define IR_BASE_REFUSAL_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {

// Refuses a rewrite, which is nobody's error: who gets it makes a remark of the
// reason (ir/graph/pass_context.h), or goes on without the op. `reason` is one
// phrase about the op: "its packed parameters are not constant". Return it
// before the graph is changed, or undo the change: nobody does that for you.
inline absl::Status Refusal(absl::string_view reason) {
  return absl::FailedPreconditionError(reason);
}

// Whether `status` is a refusal. Every FailedPrecondition counts as one: code
// that a rewrite calls must not return that for anything else.
inline bool IsRefusal(const absl::Status& status) {
  return absl::IsFailedPrecondition(status);
}

// Turns an error into a refusal, "<what>: <message>": a rewrite that was tried
// and failed is a reason to leave the op as it is. OK and refusals stay as they
// are.
inline absl::Status RefusalOf(absl::string_view what,
                              const absl::Status& status) {
  return status.ok() || IsRefusal(status)
             ? status
             : Refusal(absl::StrCat(what, ": ", status.message()));
}

}  // namespace ns

#endif  // IR_BASE_REFUSAL_H_
