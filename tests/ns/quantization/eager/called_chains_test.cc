#include "ns/quantization/eager/called_chains.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::Module;

Module Model(const std::vector<std::string>& body) {
  return MakeModel({{"conv", Conv2d(at::randn({3, 3, 1, 1}))},
                    {"bn", BatchNorm2d(3)},
                    {"relu", Relu()}},
                   body);
}

std::vector<std::vector<std::string>> Paths(const Module& model) {
  std::vector<std::vector<std::string>> paths;
  for (const CalledChain& chain :
       OrThrow(FindCalledChains(model, [](absl::string_view type) {
         return absl::StartsWith(type, "torch.nn.");
       }))) {
    EXPECT_EQ(chain.types.size(), chain.paths.size());
    paths.push_back(chain.paths);
  }
  return paths;
}

constexpr char kChain[] =
    "y = self.relu.forward(self.bn.forward(self.conv.forward(y)))";

TEST(CalledChainsTest, FindsAChainThatIsCalledOnce) {
  EXPECT_THAT(Paths(Model({"y = x", kChain, "return y"})),
              ElementsAre(ElementsAre("conv", "bn", "relu")));
}

TEST(CalledChainsTest, FindsAChainThatIsCalledSeveralTimes) {
  EXPECT_THAT(Paths(Model({"y = x", kChain, kChain, "return y"})),
              ElementsAre(ElementsAre("conv", "bn", "relu")));
}

TEST(CalledChainsTest, FindsAChainInALoop) {
  for (const char* loop : {"for i in range(3):", "for i in range(x.size(0)):",
                           "while bool(y.sum() < 0):"}) {
    EXPECT_THAT(
        Paths(Model({"y = x", loop, std::string("  ") + kChain, "return y"})),
        ElementsAre(ElementsAre("conv", "bn", "relu")))
        << loop;
  }
}

TEST(CalledChainsTest, EndsBeforeAModuleThatIsCalledMoreOftenInALoop) {
  EXPECT_THAT(Paths(Model({"y = self.conv.forward(x)", "for i in range(2):",
                           "  y = self.bn.forward(y)", "return y"})),
              ElementsAre(ElementsAre("conv")));
}

TEST(CalledChainsTest, EndsBeforeAModuleThatIsCalledElsewhereToo) {
  EXPECT_THAT(Paths(Model({"y = self.relu.forward(x)", kChain, "return y"})),
              ElementsAre(ElementsAre("conv", "bn")));
}

TEST(CalledChainsTest, KeepsWhatAllCallsHaveInCommon) {
  EXPECT_THAT(
      Paths(Model({"y = x", kChain, "z = self.bn.forward(self.conv.forward(x))",
                   "return y + self.relu.forward(torch.sigmoid(z))"})),
      ElementsAre(ElementsAre("conv", "bn")));
}

TEST(CalledChainsTest, LeavesOutModulesOfTwoPaths) {
  const Module conv = Conv2d(at::randn({3, 3, 1, 1}));
  EXPECT_THAT(
      Paths(MakeModel({{"conv", conv}, {"again", conv}, {"bn", BatchNorm2d(3)}},
                      {"y = self.bn.forward(self.conv.forward(x))",
                       "return torch.sigmoid(self.again.forward(y))"})),
      IsEmpty());
}

}  // namespace
}  // namespace ns
