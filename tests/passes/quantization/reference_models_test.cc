// References beside every op of models that FX quantized.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "ir/graph/verifier.h"
#include "passes/quantization/reference/reference_ops.h"
#include "tests/testing/engines.h"
#include "tests/testing/fx_cases.h"
#include "tests/testing/reference_kernels.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

struct OpAndReference {
  std::string op;
  KernelPair pair;
};

// Runs the quantized model of a case with a reference beside every op that can
// have one, and expects that its output stays.
std::vector<OpAndReference> RunWithReferences(const std::string& name) {
  ModelGraph model = FxModel(name, "quantized");
  torch::jit::Graph& graph = model.graph();
  const std::vector<Node*> nodes(graph.nodes().begin(), graph.nodes().end());
  std::vector<OpAndReference> compared;
  std::vector<Value*> values = {graph.outputs()[0]};
  for (Node* node : nodes) {
    const auto reference = InsertReference(model, node);
    if (reference.ok()) {
      compared.push_back({std::string(OpName(*node)), {}});
      values.insert(values.end(), {TensorOutput(*node), *reference});
    } else if (FindReference(OpName(*node)).ok()) {
      EXPECT_EQ(MessageOf(reference), "its inputs are not quantized")
          << OpName(*node);
    }
  }
  Node* all = graph.insertNode(graph.createTuple(values));
  graph.return_node()->replaceInput(0, all->output());
  NS_EXPECT_OK(VerifyGraph(graph));
  const std::vector<c10::IValue> inputs = FxInputs(name);
  const c10::IValue outputs = OrThrow(model.Run(inputs));
  const auto& elements = outputs.toTupleRef().elements();
  const c10::IValue plain = OrThrow(FxModel(name, "quantized").Run(inputs));
  EXPECT_TRUE(elements[0].toTensor().equal(plain.toTensor()));
  for (size_t i = 0; i < compared.size(); ++i) {
    compared[i].pair = {elements[2 * i + 1].toTensor(),
                        elements[2 * i + 2].toTensor()};
  }
  return compared;
}

class ReferenceModelsTest : public EngineTest {
 protected:
  // `references`: how many ops have one.
  static void ExpectCloseKernels(const std::string& name, size_t references) {
    SCOPED_TRACE(name);
    const std::vector<OpAndReference> compared = RunWithReferences(name);
    EXPECT_EQ(compared.size(), references);
    for (const auto& [op, pair] : compared) {
      SCOPED_TRACE(op);
      if (!pair.kernel.is_quantized()) {
        EXPECT_TRUE(at::allclose(pair.kernel, pair.reference, 1e-4, 1e-5));
        continue;
      }
      const Steps steps = StepsBetween(pair);
      EXPECT_LE(steps.most, 1);
      if (GetParam() == at::kONEDNN &&
          (absl::StrContains(op, "conv") || absl::StrContains(op, "linear"))) {
        EXPECT_LT(steps.fraction, 0.001);
      }
    }
  }
};
NS_INSTANTIATE_ON_ENGINES(ReferenceModelsTest);

TEST_P(ReferenceModelsTest, LayersAreWithinOneStepOfTheirReferences) {
  ExpectCloseKernels("fusions", 10);
  ExpectCloseKernels("convs_fun", 4);
  if (GetParam() == at::kONEDNN) {
    ExpectCloseKernels("fusions_3d", 4);
  }
  ExpectCloseKernels("linear_dynamic", 1);
  ExpectCloseKernels("torch_sparse_nn", 4);
  ExpectCloseKernels("layer_norm_of_shape", 1);
}

TEST_P(ReferenceModelsTest, FunctionsAreWithinOneStepOfTheirReferences) {
  ExpectCloseKernels("add_mul", 6);
  ExpectCloseKernels("conv_cat", 2);
  ExpectCloseKernels("convs_sigmoid", 3);
  ExpectCloseKernels("hardswish", 1);
  ExpectCloseKernels("pool_relu", 2);
}

// 20 convolutions, 8 residual adds, 2 pools and the linear.
TEST_P(ReferenceModelsTest, Resnet18IsWithinOneStepOfItsReferences) {
  ExpectCloseKernels("resnet18", 31);
}

// 52 convolutions, 10 residual adds, the pool and the linear.
TEST_P(ReferenceModelsTest, MobilenetIsWithinOneStepOfItsReferences) {
  ExpectCloseKernels("mobilenet_v2", 64);
}

}  // namespace
}  // namespace ns
