#include "tests/ns/quantization/quantizing.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {

std::vector<Batch> BatchesOf(const std::vector<at::Tensor>& tensors) {
  std::vector<Batch> batches;
  for (const at::Tensor& tensor : tensors) {
    batches.push_back({{tensor}, {}});
  }
  return batches;
}

QuantizedModel Quantize(const std::vector<std::string>& body,
                        const std::vector<at::Tensor>& batches,
                        const QuantizeOptions& options) {
  return OrThrow(QuantizeModel(FloatModel(body), BatchesOf(batches), options));
}

QuantizeOptions Everywhere(const QConfig& qconfig) {
  QuantizeOptions options;
  options.mapping = QConfigMapping().SetGlobal(qconfig);
  return options;
}

std::vector<std::string> StayedFloat(const QuantizedModel& quantized) {
  std::vector<std::string> lines;
  for (const FloatLayer& layer : quantized.report.stayed_float) {
    lines.push_back(absl::StrCat(layer.name, ": ", layer.reason));
  }
  return lines;
}

at::Tensor Output(ModelGraph& model, const at::Tensor& x) {
  return OrThrow(model.Run({x})).toTensor();
}

void ExpectNeedsLibTorchOnly(const ModelGraph& model) {
  for (const torch::jit::Node* node : AllNodes(model.graph())) {
    const std::string op = node->kind().toQualString();
    EXPECT_FALSE(absl::StartsWith(op, "ns::")) << op;
    for (const torch::jit::Value* output : node->outputs()) {
      const std::string type = output->type()->annotation_str();
      EXPECT_FALSE(absl::StrContains(type, "torch.classes.ns.")) << type;
    }
  }
  for (const auto& attribute : model.module().named_attributes()) {
    const std::string type = attribute.value.type()->annotation_str();
    EXPECT_FALSE(absl::StrContains(type, "torch.classes.ns."))
        << attribute.name;
  }
}

}  // namespace ns
