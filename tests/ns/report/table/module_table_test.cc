#include "ns/report/table/module_table.h"

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<ModuleRow> Rows() {
  return {{"fc", "torch.nn.Linear", "torch.nn.quantized.Linear", 40},
          {"rnn", "torch.nn.LSTM", "LSTM", 30, {{"h_n", 25}, {"c_n", 10}}}};
}

TEST(ModuleTableTest, HasARowForEachTensorAndTheLowest) {
  EXPECT_EQ(ToModuleTable(Rows(), "stub", 1, {.width = 40}),
            "        float   quantized     stub\n"
            "module  type    type       SQNR dB\n"
            "──────────────────────────────────\n"
            "fc      Linear  Linear        40.0\n"
            "rnn     LSTM    LSTM          30.0\n"
            "  h_n                         25.0\n"
            "  c_n                         10.0\n"
            "\n"
            "2 stubs, 1 batch\n"
            "lowest stub SQNR  10.0 dB  rnn (c_n)\n");
}

TEST(ModuleTableTest, IsSortedByTheWorstTensorWhereAsked) {
  TableOptions options;
  options.sort_by_error = true;
  const std::string table = ToModuleTable(Rows(), "output", 2, options);
  EXPECT_LT(table.find("\nrnn "), table.find("\nfc "));
}

TEST(ModuleTableTest, NanIsTheLowest) {
  std::vector<ModuleRow> rows = Rows();
  rows[0].sqnr_db = kNan;
  EXPECT_THAT(ToModuleTable(rows, "stub", 1, {}),
              HasSubstr("lowest stub SQNR  nan  fc\n"));
}

TEST(ModuleTableTest, WithoutModulesThereIsTheCountAlone) {
  EXPECT_EQ(ToModuleTable({}, "stub", 3, {}), "0 stubs, 3 batches\n");
}

TEST(ModuleTableTest, ShowsControlCharactersOfNames) {
  EXPECT_THAT(ToModuleTable({{"a\x1b[2J", "A", "B", 1}}, "stub", 1, {}),
              AllOf(HasSubstr("a\\x1b[2J"), Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace ns
