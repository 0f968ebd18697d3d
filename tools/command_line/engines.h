// Chooses LibTorch's quantized engine, which the flag --engine names.
#ifndef TOOLS_COMMAND_LINE_ENGINES_H_
#define TOOLS_COMMAND_LINE_ENGINES_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/command_line/command_line.h"

namespace ns {

// Reads --engine; empty when it is not given. Error: an engine that this
// LibTorch does not have.
absl::StatusOr<std::string> ParseEngine(const Flags& flags);

// Calls `use` under `engine` or, when that is empty, under one engine that
// LibTorch has after the other, as long as it returns an engine error
// (ir/engine_error.h): packed weights are bound to the engine that loads them.
// Any other error is returned at once, for no engine mends it. Returns the
// error of the first engine when all have an engine error.
absl::Status WithEngine(const std::string& engine,
                        const std::function<absl::Status()>& use);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_ENGINES_H_
