#include "ns/engine_check/engine_report.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/engine_check/check_engine.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

EngineCheck OneFault() {
  EngineCheck check;
  check.engine = "qnnpack";
  check.libtorch = "1.13.1";
  check.processor = "avx2";
  check.threads = 2;
  check.ops = 2;
  check.cases = 5;
  check.refused_cases = 3;
  check.refused_ops = {"quantized::conv3d"};
  EngineFault fault;
  fault.op = "aten::hardtanh";
  fault.faulty_cases = 1;
  fault.cases = 3;
  fault.steps = 50;
  fault.share = 0.912;
  fault.traits = {"channels-last"};
  fault.needs_threads = true;
  fault.reproduction = "import torch\n";
  check.faults = {fault};
  return check;
}

TEST(EngineReportTest, TableHasARowForEachFault) {
  const std::string table = EngineTable(OneFault(), {});
  EXPECT_THAT(table, HasSubstr("qnnpack, LibTorch 1.13.1, avx2, 2 threads: "
                               "5 calls of 2 ops, 1 fault\n"));
  EXPECT_THAT(table, HasSubstr("aten::hardtanh  wrong  1 of 3"));
  EXPECT_THAT(table, HasSubstr("50"));
  EXPECT_THAT(table, HasSubstr("91.2%"));
  EXPECT_THAT(table, HasSubstr("channels-last, several threads"));
  EXPECT_THAT(table, HasSubstr("ops that it does not have: quantized::conv3d"));
  EXPECT_THAT(table, HasSubstr("# aten::hardtanh wrong:\nimport torch\n"));
}

TEST(EngineReportTest, TableWithoutFaultsIsOneLine) {
  EngineCheck check = OneFault();
  check.faults.clear();
  check.refused_ops.clear();
  EXPECT_EQ(EngineTable(check, {}),
            "qnnpack, LibTorch 1.13.1, avx2, 2 threads: 5 calls of 2 ops, no "
            "fault found\n");
}

TEST(EngineReportTest, CrashesHaveNoSteps) {
  EngineCheck check = OneFault();
  check.faults[0].kind = EngineFaultKind::kCrash;
  check.faults[0].steps = 0;
  check.faults[0].share = 0;
  const std::string table = EngineTable(check, {});
  EXPECT_THAT(table, HasSubstr("crashes"));
  EXPECT_THAT(table, Not(HasSubstr("0.0%")));
}

TEST(EngineReportTest, JsonHasAllFields) {
  const std::string json = EngineJson(OneFault());
  for (const char* field :
       {R"("schema": "ns.engine-check/1")", R"("fault": "wrong")",
        R"("faulty_cases": 1)", R"("avoided": false)",
        R"("reproduction": "import torch\n")", R"("refused_cases": 3)"}) {
    EXPECT_THAT(json, HasSubstr(field));
  }
}

}  // namespace
}  // namespace ns
