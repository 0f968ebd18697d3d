// Early returns for absl::Status and absl::StatusOr.
#ifndef IR_STATUS_H_
#define IR_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Returns the status of `expr` from the enclosing function unless it is OK.
#define NS_RETURN_IF_ERROR(expr)                            \
  do {                                                      \
    if (absl::Status ns_status = (expr); !ns_status.ok()) { \
      return ns_status;                                     \
    }                                                       \
  } while (false)

// Assigns the value of the StatusOr `expr` to `lhs`, or returns its status.
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

#endif  // IR_STATUS_H_
