// Runs quantize-dynamic on a file: quantize_dynamic FLOAT OUT [PRESET]. All
// layers have the qconfig PRESET (PresetNames) where it is given, and otherwise
// those of DefaultDynamicMapping. Prints what stayed in float, a line each:
// name, tab, reason.
#include <cstdio>
#include <string>
#include <utility>

#include "ir/base/status.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/dynamic/quantize_dynamic.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {
namespace {

absl::Status Run(const char* from, const char* to, const char* preset) {
  NS_ASSIGN_OR_RETURN(ModelGraph model, ModelGraph::FromFile(from));
  QuantizationReport report;
  QuantizeDynamic::Options options;
  options.mapping = DefaultDynamicMapping();
  if (preset != nullptr) {
    NS_ASSIGN_OR_RETURN(const QConfig qconfig, PresetNamed(preset));
    options.mapping = QConfigMapping().SetGlobal(qconfig);
  }
  options.report = &report;
  PassContext context;
  NS_RETURN_IF_ERROR(
      QuantizeDynamic(std::move(options)).Run(model, context).status());
  for (const FloatLayer& layer : report.stayed_float) {
    std::printf("%s\t%s\n", layer.name.c_str(), layer.reason.c_str());
  }
  return model.Save(to);
}

}  // namespace
}  // namespace ns

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: quantize_dynamic FLOAT OUT [PRESET]\n");
    return 2;
  }
  const absl::Status status =
      ns::Run(argv[1], argv[2], argc == 4 ? argv[3] : nullptr);
  if (!status.ok()) {
    std::fprintf(stderr, "quantize_dynamic: %s\n",
                 std::string(status.message()).c_str());
    return 1;
  }
  return 0;
}
