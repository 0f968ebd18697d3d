// Holds what `ns quantize` reports, from which its table and JSON are written.
#ifndef NS_QUANTIZATION_REPORT_QUANTIZE_SUMMARY_H_
#define NS_QUANTIZATION_REPORT_QUANTIZE_SUMMARY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ns/quantization/model/headroom_trial.h"
#include "ns/quantization/model/output_error.h"
#include "ns/training/training_report.h"
#include "passes/quantization/layers/quantization_report.h"

namespace ns {

// What a search for the fastest model within a budget has found.
struct BudgetReport {
  // The least SQNR in dB of the outputs, and what the search predicted and
  // measured, on the last `batches` batches.
  double budget_db = 0;
  double predicted_db = 0;
  double measured_db = 0;
  int64_t batches = 0;
  // How many layers had a choice, and how many of these run in int8.
  int64_t layers = 0;
  int64_t int8_layers = 0;
  // The least time in microseconds for one batch on this machine, of the
  // quantized model, lowered to ns kernels, and of the float one.
  double time_us = 0;
  double float_time_us = 0;
};

struct QuantizeSummary {
  // The paths as the user gave them. The quantized model is made from one float
  // model or from prepared ones; the other is empty.
  std::string float_path;
  std::vector<std::string> prepared_paths;
  std::string out_path;
  // "static", "dynamic", "weight-only" or "qat".
  std::string mode;
  // "fbgemm": see BackendName (passes/quantization/qconfig/default_qconfigs.h).
  std::string backend;
  // The number of batches that the command ran.
  int64_t batches = 0;
  // report.warnings are those of the whole command.
  QuantizationReport report;
  // What training has achieved, in the mode qat.
  std::optional<TrainingReport> training;
  // What the search has found, where a budget was given.
  std::optional<BudgetReport> budget;
  // How far the outputs are from those of the float or prepared model on these
  // batches; empty without batches, or without tensors to compare.
  std::vector<OutputError> outputs;
  // QuantizeResult::advice.
  std::vector<std::string> advice;
  // QuantizeResult::headroom.
  std::optional<HeadroomTrial> headroom;
};

}  // namespace ns

#endif  // NS_QUANTIZATION_REPORT_QUANTIZE_SUMMARY_H_
