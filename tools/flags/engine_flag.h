// Reads the flag --engine, which names LibTorch's quantized engine.
#ifndef TOOLS_FLAGS_ENGINE_FLAG_H_
#define TOOLS_FLAGS_ENGINE_FLAG_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/command_line/command_line.h"

namespace ns {

// Returns the engine; empty when the flag is not given. Error: an engine that
// this LibTorch does not have.
absl::StatusOr<std::string> ParseEngine(const Flags& flags);

}  // namespace ns

#endif  // TOOLS_FLAGS_ENGINE_FLAG_H_
