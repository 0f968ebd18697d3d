#include "passes/registry/rewrite_passes.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

// Without the wait, the result would be a future that claims to be a tensor.
TEST(ReplaceFuturesPassTest, RefusesForksThatAreNotInlined) {
  constexpr char kForks[] = R"IR(
graph(%x : Tensor):
  %later : Future(Tensor) = prim::fork(%x)
  %y : Tensor = aten::wait(%later)
  return (%y))IR";
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(kForks);
  ModelGraph model = ModelGraph::AroundGraph(graph);
  PassContext context;
  EXPECT_THAT(MessageOf(ReplaceFuturesPass().Run(model, context)),
              HasSubstr("is not inlined; run inline-modules before"));
  ExpectIr(graph, kForks);
}

}  // namespace
}  // namespace ns
