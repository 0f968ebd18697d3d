// Reads the flags of `ns quantize`.
#ifndef TOOLS_FLAGS_QUANTIZE_FLAGS_H_
#define TOOLS_FLAGS_QUANTIZE_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/quantization/model/quantize_model.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/output_files.h"
#include "tools/command_line/report_output.h"
#include "tools/flags/run_flags.h"
#include "tools/flags/training_flags.h"

namespace ns {

struct QuantizeFlags {
  // The file of the float model; empty where prepared models are converted.
  std::string float_path;
  // The files of --prepared. With a float model there is one at most, and the
  // prepared model is written to it. Without a float model there is one at
  // least, and they are read.
  std::vector<std::string> prepared_paths;
  std::string out_path;
  // Where the rescaled float model goes; empty for nowhere.
  std::string out_float_path;
  // Whether modules are replaced in the module hierarchy (--eager), instead of
  // nodes in the one graph that all modules are inlined into.
  bool eager = false;
  // The file of the qconfig mapping; empty for none. Parsing the flags does not
  // read it: options.mapping is absent, and the command sets it.
  std::string qconfig_path;
  // The name of the mode: "static", "dynamic", "weight-only" or "qat". With
  // "qat", options.mode is kStatic.
  std::string mode;
  // The least SQNR in dB of the outputs, for which a search chooses what stays
  // in float; absent for none.
  std::optional<double> budget_db;
  // How the model is trained: present with the mode "qat" only.
  std::optional<TrainingFlags> training;
  ModelGraphOptions model;
  // The module types and functions of --leaf, of which model.is_leaf is made.
  std::vector<std::string> leaves;
  RunFlags run;
  QuantizeOptions options;
  ReportOutputs outputs;
  // What model files say of their making.
  ModelOrigin origin;

  bool HasFloat() const { return !float_path.empty(); }
};

// Reads no file. Error: wrong usage, which includes flags that make no sense
// together, and an output that is also another file of the command. `flags` are
// parsed by QuantizeSpec (quantize_spec.h).
absl::StatusOr<QuantizeFlags> ParseQuantizeFlags(const Flags& flags);

}  // namespace ns

#endif  // TOOLS_FLAGS_QUANTIZE_FLAGS_H_
