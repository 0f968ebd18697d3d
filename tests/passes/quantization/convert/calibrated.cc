#include "tests/passes/quantization/convert/calibrated.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/graph/pass_context.h"
#include "passes/quantization/observe/insert_observers.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {

ModelGraph Calibrated(const std::vector<std::string>& body,
                      const std::vector<at::Tensor>& batches,
                      const QConfig& qconfig) {
  ModelGraph model = FloatModel(body);
  ObserverPlanOptions options;
  options.mapping.SetGlobal(qconfig);
  PassContext context;
  OrThrow(InsertObservers(options).Run(model, context));
  for (const at::Tensor& batch : batches) {
    OrThrow(model.Run({batch}));
  }
  return model;
}

std::vector<std::string> Quantized(const QuantizationReport& report) {
  std::vector<std::string> names;
  for (const LayerQuantization& layer : report.layers) {
    names.push_back(layer.name);
  }
  return names;
}

std::vector<std::string> StayedFloat(const QuantizationReport& report) {
  std::vector<std::string> lines;
  for (const FloatLayer& layer : report.stayed_float) {
    lines.push_back(absl::StrCat(layer.name, ": ", layer.reason));
  }
  return lines;
}

}  // namespace ns
