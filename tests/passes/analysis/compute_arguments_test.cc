#include "passes/analysis/compute_arguments.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::NamedValue;
using ::torch::jit::Node;
using ::torch::jit::Value;
using Names = std::vector<std::string>;

// What is given for each argument: "value", or "name=value".
struct ArgumentNames {
  Names in_order;
  Names named;
};

ArgumentNames ArgumentsOf(torch::jit::Graph& graph, const char* op) {
  Node* node = NodeOf(graph, op);
  const ComputeArguments arguments = OrThrow(ComputeArgumentsOf(
      *node, [&](size_t index) { return node->input(index); }));
  ArgumentNames names;
  for (const NamedValue& argument : arguments.in_order) {
    names.in_order.push_back(argument.value(graph)->debugName());
  }
  for (const NamedValue& argument : arguments.named) {
    names.named.push_back(argument.name() + "=" +
                          argument.value(graph)->debugName());
  }
  return names;
}

TEST(ComputeArgumentsTest, AreWithoutScaleZeroPointAndPlaceOfTheOutput) {
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(R"IR(
graph(%x : Tensor, %slope : Scalar, %flag : bool, %scale : float, %zero : int):
  %y : Tensor = quantized::leaky_relu(%x, %slope, %flag, %scale, %zero)
  return (%y))IR");
  const ArgumentNames names = ArgumentsOf(*graph, "quantized::leaky_relu");
  EXPECT_THAT(names.in_order, ElementsAre("x", "slope"));
  EXPECT_THAT(names.named, IsEmpty());
}

TEST(ComputeArgumentsTest, KeepTheNamesOfThoseThatNeedThem) {
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(R"IR(
graph(%a : Tensor, %b : Tensor, %mode : str):
  %y : Tensor = aten::div(%a, %b, %mode)
  return (%y))IR");
  const ArgumentNames names = ArgumentsOf(*graph, "aten::div");
  EXPECT_THAT(names.in_order, ElementsAre("a", "b"));
  EXPECT_THAT(names.named, ElementsAre("rounding_mode=mode"));
}

TEST(ComputeArgumentsTest, AreWhatTheCallerPutsInTheirPlace) {
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(R"IR(
graph(%a : Tensor, %b : Tensor, %scale : float, %zero : int):
  %y : Tensor = quantized::add(%a, %b, %scale, %zero)
  return (%y))IR");
  const Node& add = *NodeOf(*graph, "quantized::add");
  std::vector<size_t> asked;
  const auto put = [&](size_t index) -> absl::StatusOr<Value*> {
    asked.push_back(index);
    return graph->inputs()[0];
  };
  EXPECT_EQ(OrThrow(ComputeArgumentsOf(add, put)).in_order.size(), 2U);
  EXPECT_THAT(asked, ElementsAre(0U, 1U));
  const auto fail = [](size_t) -> absl::StatusOr<Value*> {
    return absl::InvalidArgumentError("no such value");
  };
  EXPECT_EQ(MessageOf(ComputeArgumentsOf(add, fail)), "no such value");
}

}  // namespace
}  // namespace ns
