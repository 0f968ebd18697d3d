// Chooses LibTorch's quantized engine.
#ifndef NS_COMPARE_ENGINES_H_
#define NS_COMPARE_ENGINES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace ns {

// Returns those of fbgemm, x86, onednn and qnnpack, in this order, that this
// LibTorch has.
std::vector<std::string> AvailableEngines();

// Sets LibTorch's engine to `engine`, and calls `use`. When `engine` is empty,
// tries the AvailableEngines in turn until `use` returns no engine error
// (ir/base/engine_error.h): packed weights are bound to the engine that loads
// them. Returns what `use` returned or, when all engines gave an engine error,
// the first of these. Another error: this LibTorch does not have `engine`. The
// engine stays set.
absl::Status WithEngine(const std::string& engine,
                        const std::function<absl::Status()>& use);

}  // namespace ns

#endif  // NS_COMPARE_ENGINES_H_
