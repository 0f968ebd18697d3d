// What is known of the outputs of int8 sums and products with a number, whose
// kernels choose the qparams, against what LibTorch computes.
#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/analysis/output_scale.h"
#include "passes/analysis/value_facts.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

std::shared_ptr<torch::jit::Graph> GraphOfOp(const std::string& op,
                                             const c10::IValue& number) {
  return GraphWith(
      absl::StrCat(R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int, %dtype : int, %number : )IR",
                   number.isInt() ? "int" : "float", R"IR():
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %y : Tensor = )IR",
                   op, R"IR((%q, %number)
  return (%y))IR"),
      {{"scale", 0.1}, {"zero_point", 100}, {"dtype", 13}, {"number", number}});
}

TEST(ChosenQParamsTest, AreThoseThatTheKernelChooses) {
  const at::Tensor q =
      at::quantize_per_tensor(at::randn({4}), 0.1, 100, at::kQUInt8);
  for (const std::string op : {"quantized::add", "quantized::add_relu",
                               "quantized::mul", "quantized::mul_relu"}) {
    for (const c10::IValue& number : std::vector<c10::IValue>{
             2.5, -0.3, 0.0, int64_t{3}, 30.0, -30.0, 1e-3}) {
      const auto graph = GraphOfOp(op, number);
      const torch::jit::Node& node = *NodeOf(*graph, op);
      EXPECT_TRUE(ChoosesQParams(node));
      const auto known = ValueFacts(*graph).Sure(*node.output()).qparams();
      ASSERT_TRUE(known.has_value()) << op << " " << number;
      torch::jit::Stack stack = {q, number};
      node.getOperation()(stack);
      const at::Tensor y = stack.front().toTensor();
      EXPECT_EQ(known->scale.constant, y.q_scale()) << op << " " << number;
      EXPECT_EQ(known->zero_point.constant, y.q_zero_point())
          << op << " " << number;
      EXPECT_EQ(known->dtype, y.scalar_type());
    }
  }
}

TEST(ChosenQParamsTest, AreUnknownForAScaleOfTheGraph) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int, %dtype : int):
  %two : float = prim::Constant[value=2.]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %y : Tensor = quantized::mul(%q, %two)
  return (%y))IR");
  EXPECT_FALSE(ValueFacts(*graph)
                   .Sure(*NodeOf(*graph, "quantized::mul")->output())
                   .qparams());
}

}  // namespace
}  // namespace ns
