#include "tests/passes/quantization/rescale/scaled_nets.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "passes/quantization/convert/convert_observers.h"
#include "passes/quantization/observe/insert_observers.h"
#include "passes/quantization/observe/observer_plan.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {

ModelGraph NetOf(const std::vector<std::string>& body,
                 const Attributes& attributes) {
  std::string source = "def forward(self, x: Tensor):\n";
  for (const std::string& line : body) {
    absl::StrAppend(&source, "  ", line, "\n");
  }
  return OrThrow(ModelGraph::FromModule(MakeModule("M", source, attributes)));
}

at::Tensor SpreadFactors(int64_t count, double octaves, uint64_t seed) {
  const at::Tensor order =
      at::randperm(count, at::detail::createCPUGenerator(seed), at::kLong);
  return at::exp2(at::linspace(0, octaves, count)).index_select(0, order);
}

at::Tensor ScaledAlong(const at::Tensor& tensor, int64_t dim,
                       const at::Tensor& factors) {
  std::vector<int64_t> sizes(tensor.dim(), 1);
  sizes[dim] = factors.size(0);
  return tensor * factors.reshape(sizes);
}

at::Tensor Normal(at::IntArrayRef sizes, uint64_t seed) {
  return at::randn(sizes, at::detail::createCPUGenerator(seed), at::kFloat);
}

at::Tensor OutputOf(const ModelGraph& model, const at::Tensor& x) {
  ModelGraph copy = OrThrow(model.Clone());
  return OrThrow(copy.Run({x})).toTensor();
}

void ExpectSameOutputs(const ModelGraph& before, const ModelGraph& after,
                       const at::Tensor& x) {
  const at::Tensor expected = OutputOf(before, x).to(at::kDouble);
  const at::Tensor output = OutputOf(after, x).to(at::kDouble);
  ASSERT_EQ(output.sizes(), expected.sizes());
  EXPECT_GT(expected.norm().item<double>(), 0) << "the test shows nothing";
  EXPECT_LE((output - expected).norm().item<double>(),
            1e-5 * expected.norm().item<double>());
}

double SqnrQuantized(const ModelGraph& model, const QConfigMapping& mapping,
                     const at::Tensor& x) {
  ModelGraph quantized = OrThrow(model.Clone());
  ObserverPlanOptions options;
  options.mapping = mapping;
  PassContext context;
  OrThrow(InsertObservers(options).Run(quantized, context));
  OrThrow(quantized.Run({x}));
  const QuantizationReport report = OrThrow(ConvertObservers(quantized));
  EXPECT_FALSE(report.layers.empty()) << "nothing is quantized";
  const at::Tensor expected = OutputOf(model, x).to(at::kDouble);
  const at::Tensor error = OutputOf(quantized, x).to(at::kDouble) - expected;
  return 20 * std::log10(expected.norm().item<double>() /
                         error.norm().item<double>());
}

at::Tensor ConstantOfCall(const ModelGraph& model, const std::string& op,
                          size_t index, const std::string& name) {
  const torch::jit::Node* node = NodeOf(model.graph(), op, index);
  return ConstantOf(*InputNamed(*node, name))->toTensor();
}

}  // namespace ns
