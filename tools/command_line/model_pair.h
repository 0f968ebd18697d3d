// Loads the two models of a command under a quantized engine that can run them.
#ifndef TOOLS_COMMAND_LINE_MODEL_PAIR_H_
#define TOOLS_COMMAND_LINE_MODEL_PAIR_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_io_types.h"
#include "tools/command_line/command_line.h"

namespace ns {

// The values of the flags that all commands on two models share.
struct ModelPairOptions {
  std::string float_path;
  std::string quantized_path;
  std::string method;
  // The name of the quantized engine; empty for the first that can load and run
  // them.
  std::string engine;
  // The module types and script functions whose calls are one op.
  std::vector<std::string> leaves;
};

// Reads --float and --quantized, which are required, --method, --engine and
// --leaf. Error, here and below: a flag that is missing or has a wrong value.
absl::StatusOr<ModelPairOptions> ParseModelPair(const Flags& flags);

// Reads --matching, --names, --relate and --unmatchable.
absl::StatusOr<MatchOptions> ParseMatchOptions(const Flags& flags);

// Reads --io-type.
absl::StatusOr<OpIoTypes> ParseIoTypes(const Flags& flags);

struct ModelPair {
  ModelGraph float_model;
  ModelGraph quantized_model;
};

// Loads both models and calls `use` with them, under the engine of `options`,
// or under the first that can load and run them (WithEngine of
// tools/command_line/engines.h): when `use` returns an engine error, it is
// called again under the next engine, with models loaded anew. Returns its last
// result or, where all engines fail, the error of the first.
absl::Status WithModels(const ModelPairOptions& options,
                        const std::function<absl::Status(ModelPair&)>& use);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_MODEL_PAIR_H_
