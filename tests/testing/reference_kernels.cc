#include "tests/testing/reference_kernels.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "ir/graph/verifier.h"
#include "ir/text/text.h"
#include "passes/analysis/value_facts.h"
#include "passes/quantization/reference/reference_kernel.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {

ModelGraph LayerOf(const std::string& arguments, const std::string& expression,
                   const Attributes& attributes) {
  return OrThrow(ModelGraph::FromModule(
      MakeModule("Layer",
                 absl::StrCat("def forward(self, ", arguments,
                              "):\n    return ", expression, "\n"),
                 attributes)));
}

absl::StatusOr<torch::jit::Value*> InsertReference(ModelGraph& model,
                                                   torch::jit::Node* node) {
  return InsertReferenceKernel(
      model, node, GivesQuantized(*node, ValueFacts(model.graph())));
}

KernelPair RunBoth(ModelGraph model, const std::string& op,
                   const std::vector<c10::IValue>& inputs) {
  torch::jit::Graph& graph = model.graph();
  torch::jit::Node* node = NodeOf(graph, op);
  torch::jit::Value* reference = OrThrow(InsertReference(model, node));
  torch::jit::Node* both =
      graph.insertNode(graph.createTuple({TensorOutput(*node), reference}));
  graph.return_node()->replaceInput(0, both->output());
  NS_EXPECT_OK(VerifyGraph(graph));
  const c10::IValue outputs = OrThrow(model.Run(inputs));
  const auto& elements = outputs.toTupleRef().elements();
  return {elements[0].toTensor(), elements[1].toTensor()};
}

std::string WhyNoReference(ModelGraph model, const std::string& op) {
  const std::string before = CanonicalText(model.shared_graph());
  const auto reference = InsertReference(model, NodeOf(model.graph(), op));
  EXPECT_EQ(CanonicalText(model.shared_graph()), before);
  return MessageOf(reference);
}

Steps StepsBetween(const KernelPair& pair) {
  const auto& [kernel, reference] = pair;
  EXPECT_TRUE(kernel.is_quantized());
  EXPECT_TRUE(reference.is_quantized());
  EXPECT_EQ(kernel.sizes(), reference.sizes());
  EXPECT_EQ(kernel.scalar_type(), reference.scalar_type());
  EXPECT_EQ(kernel.q_scale(), reference.q_scale());
  EXPECT_EQ(kernel.q_zero_point(), reference.q_zero_point());
  const at::Tensor steps =
      (at::int_repr(kernel).to(at::kInt) - at::int_repr(reference).to(at::kInt))
          .abs();
  Steps result;
  result.most = steps.max().item<int>();
  result.fraction = (steps != 0).to(at::kDouble).mean().item<double>();
  return result;
}

}  // namespace ns
