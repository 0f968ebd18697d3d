// Small models with observers that have seen values, for tests.
#ifndef TESTS_PASSES_QUANTIZATION_CONVERT_CALIBRATED_H_
#define TESTS_PASSES_QUANTIZATION_CONVERT_CALIBRATED_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "ir/model/model_graph.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

// FloatModel(body) with the observers of `qconfig`, run on `batches`.
ModelGraph Calibrated(const std::vector<std::string>& body,
                      const std::vector<at::Tensor>& batches,
                      const QConfig& qconfig = Int8PerTensorQConfig());

// The names of the layers that run in int8.
std::vector<std::string> Quantized(const QuantizationReport& report);
// "add: it multiplies its second operand".
std::vector<std::string> StayedFloat(const QuantizationReport& report);

}  // namespace ns

#endif  // TESTS_PASSES_QUANTIZATION_CONVERT_CALIBRATED_H_
