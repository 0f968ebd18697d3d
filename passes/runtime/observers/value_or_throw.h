// How errors pass through what graphs call: as exceptions of LibTorch.
#ifndef PASSES_RUNTIME_OBSERVERS_VALUE_OR_THROW_H_
#define PASSES_RUNTIME_OBSERVERS_VALUE_OR_THROW_H_

#include <c10/util/Exception.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace ns {

// Returns the value of `value`; throws c10::Error with the message of an error.
template <typename T>
T ValueOrThrow(absl::StatusOr<T> value) {
  TORCH_CHECK(value.ok(), std::string(value.status().message()));
  return *std::move(value);
}

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_VALUE_OR_THROW_H_
