// Holds what `ns quantize` reports, from which its table and JSON are written.
#ifndef NS_QUANTIZATION_QUANTIZE_SUMMARY_H_
#define NS_QUANTIZATION_QUANTIZE_SUMMARY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ns/quantization/output_error.h"
#include "ns/training/training_report.h"
#include "passes/quantization/quantization_report.h"

namespace ns {

struct QuantizeSummary {
  // The paths as the user gave them. A model is made of a float model, or of
  // prepared ones: `float_path` or `prepared_paths` is empty.
  std::string float_path;
  std::vector<std::string> prepared_paths;
  std::string out_path;
  // "static", "dynamic", "weight-only" or "qat".
  std::string mode;
  // BackendName: "fbgemm".
  std::string backend;
  // The number of batches that the command ran.
  int64_t batches = 0;
  // Its warnings are all that the command has.
  QuantizationReport report;
  // What training has achieved, in the mode qat.
  std::optional<TrainingReport> training;
  // The errors on these batches; empty where there are none.
  std::vector<OutputError> outputs;
};

}  // namespace ns

#endif  // NS_QUANTIZATION_QUANTIZE_SUMMARY_H_
