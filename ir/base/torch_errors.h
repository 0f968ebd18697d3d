// Turns LibTorch's exceptions into absl::Status, around every call that may
// throw one.
#ifndef IR_BASE_TORCH_ERRORS_H_
#define IR_BASE_TORCH_ERRORS_H_

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {

// Returns the one line of an exception that says what went wrong: no backtrace,
// no TorchScript traceback, no source excerpt, no address in memory, and no
// request to report a bug to PyTorch.
std::string OneLineMessage(const std::exception& error);

namespace internal {

template <typename Result>
struct StatusFor {
  using Type = absl::StatusOr<Result>;
};
template <>
struct StatusFor<void> {
  using Type = absl::Status;
};
template <>
struct StatusFor<absl::Status> {
  using Type = absl::Status;
};
template <typename Value>
struct StatusFor<absl::StatusOr<Value>> {
  using Type = absl::StatusOr<Value>;
};

// Calls `call` and turns an exception into an error: `prefix` and one line.
template <typename Call>
auto CatchWithPrefix(absl::string_view prefix, Call& call) {
  using Result = decltype(call());
  using Return = typename StatusFor<Result>::Type;
  try {
    if constexpr (std::is_void_v<Result>) {
      call();
      return Return(absl::OkStatus());
    } else {
      return Return(call());
    }
  } catch (const std::exception& error) {
    return Return(absl::InvalidArgumentError(
        absl::StrCat(prefix, OneLineMessage(error))));
  }
}

}  // namespace internal

// Calls `call` and turns any std::exception into an invalid-argument status
// "<what>: <one line>". Returns what `call` does if that is an absl::Status or
// absl::StatusOr, absl::Status when it returns nothing, and absl::StatusOr of
// its result otherwise.
template <typename Call>
auto CatchTorchErrors(absl::string_view what, Call&& call) {
  return internal::CatchWithPrefix(absl::StrCat(what, ": "), call);
}

// Does the same where the caller says what failed (Annotated of
// ir/base/status.h): the message is the one line only.
template <typename Call>
auto CatchTorchErrors(Call&& call) {
  return internal::CatchWithPrefix("", call);
}

}  // namespace ns

#endif  // IR_BASE_TORCH_ERRORS_H_
