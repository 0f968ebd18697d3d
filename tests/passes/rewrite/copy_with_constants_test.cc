#include "passes/rewrite/copy_with_constants.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kAddRelu[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=0]()
  %s : Tensor = quantized::add(%x, %y, %scale, %zero_point)
  %r : Tensor = aten::relu(%s)
  return (%r))IR";

Subgraph AddAndRelu(const ModelGraph& model) {
  Subgraph subgraph;
  subgraph.start = subgraph.base = NodeOf(model.graph(), "quantized::add");
  subgraph.end = NodeOf(model.graph(), "aten::relu");
  subgraph.nodes = {subgraph.start, subgraph.end};
  return subgraph;
}

TEST(CopyWithConstantsTest, TheBaseOpOfTheCopyHasThem) {
  ModelGraph model = ModelOf(kAddRelu);
  const Subgraph subgraph = AddAndRelu(model);
  Value* const copy = OrThrow(CopyWithConstants(
      model, subgraph, *subgraph.end->output(), {{2, 0.25}, {3, 7}}));
  ASSERT_NE(copy, nullptr);
  model.graph().registerOutput(copy);
  NS_EXPECT_OK(VerifyGraph(model.graph()));
  ExpectShortIr(model.graph(), R"IR(
%2 = quantized::add(%0, %1, 0.25, 7)
%3 = aten::relu(%2)
%4 = quantized::add(%0, %1, 0.5, 0)
%5 = aten::relu(%4)
return (%5, %3))IR");
}

TEST(CopyWithConstantsTest, WithoutConstantsItIsAPlainCopy) {
  ModelGraph model = ModelOf(kAddRelu);
  const Subgraph subgraph = AddAndRelu(model);
  model.graph().registerOutput(
      OrThrow(CopyWithConstants(model, subgraph, *subgraph.end->output(), {})));
  ExpectShortIr(model.graph(), R"IR(
%2 = quantized::add(%0, %1, 0.5, 0)
%3 = aten::relu(%2)
%4 = quantized::add(%0, %1, 0.5, 0)
%5 = aten::relu(%4)
return (%5, %3))IR");
}

TEST(CopyWithConstantsTest, ThereIsNoneOfABaseOpInControlFlow) {
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::relu(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::relu(%x)
      -> (%b)
  return (%y))IR");
  const std::string before = model.graph().toString();
  Subgraph subgraph;
  subgraph.start = subgraph.end = NodeOf(model.graph(), "prim::If");
  subgraph.base = NodeOf(model.graph(), "aten::relu");
  subgraph.nodes = {subgraph.start};
  EXPECT_EQ(
      OrThrow(CopyWithConstants(model, subgraph, *subgraph.end->output(), {})),
      nullptr);
  EXPECT_EQ(model.graph().toString(), before);
}

// An input of another dtype is no constant of the op: nothing is left behind.
TEST(CopyWithConstantsTest, AnInputThatThereIsNotIsAnError) {
  ModelGraph model = ModelOf(kAddRelu);
  const std::string before = model.graph().toString();
  const Subgraph subgraph = AddAndRelu(model);
  EXPECT_FALSE(
      CopyWithConstants(model, subgraph, *subgraph.end->output(), {{9, 0.25}})
          .ok());
  EXPECT_EQ(model.graph().toString(), before);
}

}  // namespace
}  // namespace ns
