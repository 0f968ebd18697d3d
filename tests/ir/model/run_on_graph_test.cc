#include "ir/model/run_on_graph.h"

#include <c10/util/Exception.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "tests/testing/function_pass.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

constexpr char kRelu[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  return (%a))IR";

TEST(RunOnGraphTest, AFunctionRewritesTheGraphItself) {
  std::shared_ptr<torch::jit::Graph> graph = GraphOf(kRelu);
  const torch::jit::Graph* const before = graph.get();
  AsGraphFunction(std::make_shared<FunctionPass>(
      "drop", [](ModelGraph& model, PassContext&) -> absl::StatusOr<bool> {
        torch::jit::Node* relu = NodeOf(model.graph(), "aten::relu");
        relu->output()->replaceAllUsesWith(relu->input());
        relu->destroy();
        return true;
      }))(graph);
  EXPECT_EQ(graph.get(), before);
  EXPECT_TRUE(AllNodes(*graph).empty());
}

TEST(RunOnGraphTest, AFunctionThrowsWhatThePassReturnsAsAnError) {
  std::shared_ptr<torch::jit::Graph> graph = GraphOf(kRelu);
  const auto refuse = AsGraphFunction(
      std::make_shared<FunctionPass>("refuse", [](ModelGraph&, PassContext&) {
        return absl::InvalidArgumentError("too hot");
      }));
  EXPECT_THROW(refuse(graph), c10::Error);
}

}  // namespace
}  // namespace ns
