#include "passes/instrument/insert_timers.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "ir/model/model_graph.h"
#include "tests/testing/modules.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::SizeIs;
using ::torch::jit::Node;

ModelGraph ModelOfSource(const std::string& source) {
  return OrThrow(ModelGraph::FromModule(MakeModule("Model", source, {})));
}

TEST(InsertTimersTest, ALapFollowsEachNode) {
  ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return torch.relu(torch.neg(x))\n");
  const LapTimerPtr timer =
      OrThrow(InsertTimers(model, 2, [](const Node& node) -> size_t {
        return node.kind() == c10::aten::neg ? 1 : 0;
      }));
  NS_EXPECT_OK(VerifyGraph(model.graph()));
  EXPECT_THAT(timer->microseconds(), SizeIs(3));
  ExpectShortIr(model.graph(), R"(
self.ns_timer_0.lap(2)
%1 = aten::neg(%0)
self.ns_timer_0.lap(1)
%2 = aten::relu(%1)
self.ns_timer_0.lap(0)
return (%2))");
}

TEST(InsertTimersTest, NodesInBlocksAreTimedInsteadOfTheNodeAroundThem) {
  ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor, flag: bool) -> Tensor:\n"
      "    if flag:\n"
      "        x = torch.relu(x)\n"
      "    return x\n");
  NS_ASSERT_OK(
      InsertTimers(model, 1, [](const Node&) -> size_t { return 0; }).status());
  NS_EXPECT_OK(VerifyGraph(model.graph()));
  ExpectShortIr(model.graph(), R"(
self.ns_timer_0.lap(1)
%3 = prim::If(%1)
  then:
    %2 = aten::relu(%0)
    self.ns_timer_0.lap(0)
    -> (%2)
  else:
    -> (%0)
return (%3))");
}

TEST(InsertTimersTest, TheModelReturnsWhatItDid) {
  const std::string source =
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    for i in range(3):\n"
      "        x = torch.matmul(x, x)\n"
      "    return x\n";
  ModelGraph plain = ModelOfSource(source);
  ModelGraph timed = ModelOfSource(source);
  const LapTimerPtr timer =
      OrThrow(InsertTimers(timed, 1, [](const Node&) -> size_t { return 0; }));
  const at::Tensor x = at::randn({32, 32});
  timer->Start();
  EXPECT_TRUE(at::equal(OrThrow(timed.Run({x})).toTensor(),
                        OrThrow(plain.Run({x})).toTensor()));
  EXPECT_GT(timer->microseconds()[0], 0);
}

TEST(InsertTimersTest, AGraphWithoutNodesHasOneLap) {
  ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return x\n");
  NS_ASSERT_OK(
      InsertTimers(model, 0, [](const Node&) -> size_t { return 0; }).status());
  ExpectShortIr(model.graph(), R"(
self.ns_timer_0.lap(0)
return (%0))");
}

}  // namespace
}  // namespace ns
