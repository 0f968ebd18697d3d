#include "ns/engine_check/engine_cases.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/engine_check/engine_case.h"

namespace ns {
namespace {

using ::testing::IsSupersetOf;
using ::testing::StartsWith;

std::set<std::string> Ops(const std::vector<EngineCase>& cases) {
  std::set<std::string> ops;
  for (const EngineCase& one : cases) {
    ops.insert(one.op);
  }
  return ops;
}

TEST(EngineCasesTest, QuickOnesAreAmongAll) {
  const std::vector<EngineCase> quick = EngineCases(/*quick=*/true);
  const std::vector<EngineCase> all = EngineCases(/*quick=*/false);
  std::set<std::string> texts;
  for (const EngineCase& one : all) {
    texts.insert(CaseInPython(one, "", 1, 1));
  }
  for (const EngineCase& one : quick) {
    EXPECT_EQ(texts.count(CaseInPython(one, "", 1, 1)), 1) << one.op;
  }
  EXPECT_LT(quick.size(), all.size() / 2);
  EXPECT_EQ(Ops(quick), Ops(all));
}

TEST(EngineCasesTest, CasesOfOneOpAreNextToEachOther) {
  const std::vector<EngineCase> cases = EngineCases(/*quick=*/false);
  EXPECT_TRUE(std::is_sorted(
      cases.begin(), cases.end(),
      [](const EngineCase& a, const EngineCase& b) { return a.op < b.op; }));
}

TEST(EngineCasesTest, CallTheirOp) {
  for (const EngineCase& one : EngineCases(/*quick=*/false)) {
    std::string called = one.op;
    called.replace(called.find("::"), 2, ".");
    EXPECT_THAT(one.call.back(), StartsWith("y = torch.ops." + called + "("));
    EXPECT_THAT(one.reference.back(), StartsWith("z = "));
  }
}

TEST(EngineCasesTest, HaveTheOpsOfQuantizedNetworks) {
  EXPECT_THAT(
      Ops(EngineCases(/*quick=*/true)),
      IsSupersetOf({"quantized::conv1d", "quantized::conv2d_relu",
                    "quantized::conv3d", "quantized::conv_transpose2d",
                    "quantized::linear", "quantized::linear_dynamic",
                    "quantized::add_relu", "quantized::mul", "quantized::cat",
                    "quantized::batch_norm2d", "quantized::layer_norm",
                    "quantized::hardswish", "aten::hardtanh", "aten::sigmoid",
                    "aten::max_pool2d", "aten::mean"}));
}

}  // namespace
}  // namespace ns
