// Macros that return early on an error in an absl::Status or absl::StatusOr,
// and a function that adds to an error message where it happened.
#ifndef IR_BASE_STATUS_H_
#define IR_BASE_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

// Returns the absl::Status `expr` from the enclosing function unless it is OK.
#define NS_RETURN_IF_ERROR(expr)                            \
  do {                                                      \
    if (absl::Status ns_status = (expr); !ns_status.ok()) { \
      return ns_status;                                     \
    }                                                       \
  } while (false)

// If the absl::StatusOr `expr` is an error, returns its status from the
// enclosing function. Otherwise moves its value to `lhs`, which may be a
// declaration. Expands to several statements, so it needs braces after an `if`.
// A type with a comma, such as std::map<K, V>, needs an alias.
#define NS_ASSIGN_OR_RETURN(lhs, expr) \
  NS_ASSIGN_OR_RETURN_AT(NS_STATUS_CONCAT(ns_statusor, __LINE__), lhs, expr)

#define NS_STATUS_CONCAT_INNER(a, b) a##b
#define NS_STATUS_CONCAT(a, b) NS_STATUS_CONCAT_INNER(a, b)
#define NS_ASSIGN_OR_RETURN_AT(name, lhs, expr) \
  auto name = (expr);                           \
  if (!name.ok()) {                             \
    return name.status();                       \
  }                                             \
  lhs = std::move(name).value()

namespace ns {

// Returns `status` with "<what>: " in front of its message, so that the message
// says what failed. OK stays OK. Payloads of the status are dropped.
inline absl::Status Annotated(absl::string_view what,
                              const absl::Status& status) {
  return status.ok() ? status
                     : absl::Status(status.code(),
                                    absl::StrCat(what, ": ", status.message()));
}

// Does the same for an error in place of a value.
template <typename Value>
absl::StatusOr<Value> Annotated(absl::string_view what,
                                absl::StatusOr<Value> result) {
  if (result.ok()) {
    return result;
  }
  return Annotated(what, result.status());
}

}  // namespace ns

#endif  // IR_BASE_STATUS_H_
