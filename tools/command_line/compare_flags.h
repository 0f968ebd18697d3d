// Reads the flags of `ns compare`.
#ifndef TOOLS_COMMAND_LINE_COMPARE_FLAGS_H_
#define TOOLS_COMMAND_LINE_COMPARE_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/suite/activation_files.h"
#include "ns/suite/compare_options.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/compare_modules.h"
#include "tools/command_line/limit_flags.h"
#include "tools/command_line/model_pair.h"
#include "tools/command_line/report_output.h"
#include "tools/command_line/run_flags.h"

namespace ns {

// --metric=NAME=PATH: a scripted module that computes a metric of the user's
// (LoadUserMetric in ns/suite/user_metrics.h).
struct MetricFlag {
  std::string name;
  std::string path;
};

struct CompareFlags {
  ModelPairOptions models;
  CompareOptions compare;
  std::vector<MetricFlag> metrics;
  // The folder of values that stand for those of the float model, which then
  // does not run; empty for none.
  std::string reference;
  // Without a path, no accuracy is counted.
  std::string labels_path;
  // Without a directory, no activations are kept.
  ActivationFiles::Options save;
  ModuleOptions modules;
  LimitFlags limits;
  ReportOutputs outputs;
  RunFlags run;

  // Whether layers are compared while the models run.
  bool RunsLayers() const {
    return compare.activations || compare.shadows || compare.kernels;
  }
  bool ComparesLayers() const { return compare.weights || RunsLayers(); }
};

// Error: flags that are wrong usage, alone or together.
absl::StatusOr<CompareFlags> ParseCompareFlags(const Flags& flags);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_COMPARE_FLAGS_H_
