// Reads sizes as people write them.
#ifndef TOOLS_FLAGS_BYTE_SIZE_H_
#define TOOLS_FLAGS_BYTE_SIZE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// Returns the number of bytes that "512", "64K", "200M", "2G" or "1.5GiB" stand
// for: a number, which may have a fraction, and a unit B, K, M, G or T in
// either case. K and KiB are 1024 bytes and KB is 1000, as coreutils have it.
// Fractions of a byte are dropped.
//
// Error: "'12 apples' is no size; ..." and what is expected, or a size of 8 EiB
// or more.
absl::StatusOr<int64_t> ParseByteSize(absl::string_view text);

}  // namespace ns

#endif  // TOOLS_FLAGS_BYTE_SIZE_H_
