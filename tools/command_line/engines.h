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

// Sets LibTorch's engine to `engine` and calls `use`. When `engine` is empty,
// tries onednn, qnnpack and fbgemm in this order, as far as LibTorch has them,
// until `use` returns no engine error (ir/engine_error.h): packed weights are
// bound to the engine that loads them. Returns what `use` returned or, when all
// engines gave an engine error, the first of these. The engine stays set.
absl::Status WithEngine(const std::string& engine,
                        const std::function<absl::Status()>& use);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_ENGINES_H_
