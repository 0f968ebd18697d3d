#include "ns/report/table/stub_table.h"

#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/result/comparison_result.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

StubComparison Stub(const std::string& name, double db) {
  StubComparison stub;
  stub.name = name;
  stub.float_type = "torchvision.models.resnet.BasicBlock";
  stub.quantized_type = "torch.nn.quantized.Block";
  stub.figures.shape = {1};
  stub.figures.error.sqnr_db = db;
  stub.figures.batch_sqnr_db = {db};
  return stub;
}

ComparisonResult Result() {
  ComparisonResult result;
  result.batches = 2;
  result.stubs = {Stub("layer1.0", 30.04), Stub("layer2.0", 12.5),
                  Stub("avgpool", kInfinity)};
  return result;
}

TEST(StubTableTest, HasARowForEachStubAndTheLowest) {
  EXPECT_EQ(ToStubTable(Result(), {}),
            "          float       quantized     stub  stub, dB\n"
            "module    type        type       SQNR dB  0       20      40      "
            "60\n"
            "─────────────────────────────────────────────────────────────────"
            "───\n"
            "layer1.0  BasicBlock  Block         30.0  ████████████\n"
            "layer2.0  BasicBlock  Block         12.5  █████\n"
            "avgpool   BasicBlock  Block        exact  "
            "████████████████████████\n"
            "\n"
            "3 stubs, 2 batches\n"
            "lowest stub SQNR  12.5 dB  layer2.0\n");
}

TEST(OutputTableTest, HasARowForEachOutputAndTheLowest) {
  ComparisonResult result;
  result.batches = 1;
  ModuleOutputComparison module = {"fc", "my.Linear", "my.QuantizedLinear", {}};
  module.figures.error.sqnr_db = 40;
  ModuleOutputComparison model = {"output[1]", "", "", {}};
  model.figures.error.sqnr_db = 20;
  result.outputs = {module, model};
  EXPECT_EQ(
      ToOutputTable(result, {}),
      "           float   quantized         output  output, dB\n"
      "module     type    type             SQNR dB  0       20      40    "
      "  60\n"
      "─────────────────────────────────────────────────────────────────"
      "──────\n"
      "fc         Linear  QuantizedLinear     40.0  ████████████████\n"
      "output[1]                              20.0  ████████\n"
      "\n"
      "2 outputs, 1 batch\n"
      "lowest output SQNR  20.0 dB  output[1]\n");
}

TEST(OutputTableTest, IntegersAreNotTheLowest) {
  ComparisonResult result;
  ModuleOutputComparison scores = {"output['scores']", "", "", {}};
  scores.figures.error.sqnr_db = 40;
  ModuleOutputComparison labels = {"output['labels']", "", "", {}, true};
  labels.figures.error.sqnr_db = -2;
  result.outputs = {scores, labels};
  const std::string table = ToOutputTable(result, {});
  EXPECT_THAT(table, HasSubstr("\noutput['labels']"));
  EXPECT_THAT(table, HasSubstr("lowest output SQNR  40.0 dB"));
  result.outputs = {labels};
  EXPECT_THAT(ToOutputTable(result, {}), Not(HasSubstr("lowest")));
}

TEST(StubTableTest, OtherOutputsComeBelowAndMayBeTheLowest) {
  ComparisonResult result = Result();
  ActivationComparison figures;
  figures.error.sqnr_db = 3;
  (*result.stubs)[0].outputs = {{2, "c_n", figures}};
  TableOptions options;
  options.sort_by_error = true;
  const std::string table = ToStubTable(result, options);
  EXPECT_THAT(table,
              HasSubstr("\n  c_n                                3.0  █▎\n"));
  EXPECT_THAT(table, HasSubstr("lowest stub SQNR  3.0 dB  layer1.0 (c_n)\n"));
  EXPECT_LT(table.find("\nlayer1.0 "), table.find("\n  c_n "));
  EXPECT_LT(table.find("\n  c_n "), table.find("\nlayer2.0 "));
}

TEST(StubTableTest, HasNoUnitBehindWhatIsNoNumber) {
  ComparisonResult result;
  result.stubs = {Stub("fc", kInfinity)};
  EXPECT_THAT(ToStubTable(result, {}), HasSubstr("SQNR  exact  fc\n"));
}

TEST(StubTableTest, SortsWorstFirst) {
  const std::string table =
      ToStubTable(Result(), {/*color=*/false, /*sort_by_error=*/true});
  EXPECT_LT(table.find("layer2.0"), table.find("layer1.0"));
  EXPECT_LT(table.find("layer1.0"), table.find("avgpool"));
}

TEST(StubTableTest, DropsBarOnNarrowTerminal) {
  TableOptions options;
  options.width = 40;
  EXPECT_THAT(ToStubTable(Result(), options), Not(HasSubstr("█")));
}

TEST(StubTableTest, ColorsLowFiguresOnlyWhenAsked) {
  TableOptions options;
  EXPECT_THAT(ToStubTable(Result(), options), Not(HasSubstr("\x1b")));
  options.color = true;
  EXPECT_THAT(ToStubTable(Result(), options), HasSubstr("\x1b[33m12.5"));
}

TEST(StubTableTest, CountsNoStubs) {
  ComparisonResult result;
  result.batches = 1;
  EXPECT_EQ(ToStubTable(result, {}), "0 stubs, 1 batch\n");
}

}  // namespace
}  // namespace ns
