// Reads the flags of `ns quantize`.
#ifndef TOOLS_COMMAND_LINE_QUANTIZE_FLAGS_H_
#define TOOLS_COMMAND_LINE_QUANTIZE_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/quantization/quantize_model.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/report_output.h"
#include "tools/command_line/run_flags.h"
#include "tools/command_line/training_flags.h"

namespace ns {

struct QuantizeFlags {
  // The float model; empty where prepared models are converted.
  std::string float_path;
  // With a float model, the file to keep the prepared model in, if any. Without
  // one, the files of prepared models, at least one, which are only read.
  std::vector<std::string> prepared_paths;
  std::string out_path;
  // Whether the module hierarchy is quantized instead of its flat graph.
  bool eager = false;
  // The file of the qconfig mapping; empty for none. options.mapping is read
  // from it when the command runs.
  std::string qconfig_path;
  // The name of the mode: that of options.mode, or "qat".
  std::string mode;
  // How the model is trained; absent for other modes than qat. Its options are
  // then those of the static mode.
  std::optional<TrainingFlags> training;
  ModelGraphOptions model;
  // The module types that model.is_leaf names.
  std::vector<std::string> leaves;
  RunFlags run;
  QuantizeOptions options;
  ReportOutputs outputs;

  bool HasFloat() const { return !float_path.empty(); }
};

// Error: wrong usage, which includes flags that make no sense together.
absl::StatusOr<QuantizeFlags> ParseQuantizeFlags(const Flags& flags);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_QUANTIZE_FLAGS_H_
