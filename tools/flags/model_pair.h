// Reads the flags that all commands on two models share.
#ifndef TOOLS_FLAGS_MODEL_PAIR_H_
#define TOOLS_FLAGS_MODEL_PAIR_H_

#include "absl/status/statusor.h"
#include "ns/compare/load_pair.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_io_types.h"
#include "tools/command_line/command_line.h"

namespace ns {

// Reads --float and --quantized, which are required, --method, --engine and
// --leaf. Error, here and below: a flag that is missing or has a wrong value.
absl::StatusOr<ModelPairOptions> ParseModelPair(const Flags& flags);

// Reads --matching, --names, --relate and --unmatchable.
absl::StatusOr<MatchOptions> ParseMatchOptions(const Flags& flags);

// Reads --io-type.
absl::StatusOr<OpIoTypes> ParseIoTypes(const Flags& flags);

}  // namespace ns

#endif  // TOOLS_FLAGS_MODEL_PAIR_H_
