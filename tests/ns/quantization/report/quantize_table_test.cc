#include "ns/quantization/report/quantize_table.h"

#include <cstdint>
#include <limits>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/quantization/report/summaries.h"

namespace ns {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(QuantizeTableTest, HasARowForEachLayerAndInput) {
  EXPECT_EQ(
      QuantizeTable(SmallSummary(), {}),
      "                     act.  head-    input   zero   output   zero  "
      "weight\n"
      "layer  op      rule  bits   room    scale  point    scale  point  "
      "bits, per\n"
      "────────────────────────────────────────────────────────────────"
      "────────────\n"
      "conv1  conv2d     1     7      -      0.5     64  0.01235      0  "
      "8, channel\n"
      "add    add        1     7      -  0.01235      0      0.5     64  -\n"
      "                                      0.5     64\n"
      "fc     linear     2     -      -        -      -        -      -  "
      "tensor\n"
      "\n"
      "3 layers quantized (static, fbgemm), 1 stayed float\n"
      "  rule 1  global: static 0..127 mse, int8 weight per channel\n"
      "  rule 2  module name 'fc': dynamic\n"
      "\n"
      "1 stayed float:\n"
      "  has no int8 form\n"
      "    log (log)\n"
      "\n"
      "SQNR of the outputs, 2 batches:\n"
      "  output   30.2 dB\n");
}

TEST(QuantizeTableTest, ARuleThatChoseTwoQConfigsHasTwoNumbers) {
  QuantizeSummary summary = SmallSummary();
  summary.report.layers[2].rule = "global";
  const std::string table = QuantizeTable(summary, {});
  EXPECT_THAT(table, HasSubstr("\nfc     linear     2 "));
  EXPECT_THAT(table, HasSubstr("\n  rule 2  global: dynamic\n"));
}

TEST(QuantizeTableTest, BitsAreThoseOfTheIntegers) {
  QuantizeSummary summary = SmallSummary();
  LayerQuantization& layer = summary.report.layers[0];
  layer.qconfig = "static 0..255 mse, int7 weight per channel";
  layer.output->max = 255 * layer.output->scale;
  EXPECT_THAT(QuantizeTable(summary, {}), HasSubstr("conv2d     1     8 "));
  EXPECT_THAT(QuantizeTable(summary, {}), HasSubstr("  7, channel\n"));
  // An op without an output of its own has the bits of its input.
  layer.output.reset();
  layer.weight->scheme = "float16";
  layer.qconfig = "half weight";
  EXPECT_THAT(QuantizeTable(summary, {}), HasSubstr("conv2d     1     7 "));
  EXPECT_THAT(QuantizeTable(summary, {}), HasSubstr("  float16\n"));
  layer.inputs[0].scale = 0;
  EXPECT_THAT(QuantizeTable(summary, {}), HasSubstr("conv2d     1     - "));
}

TEST(QuantizeTableTest, HeadroomIsThatOfTheOutput) {
  QuantizeSummary summary = SmallSummary();
  summary.report.layers[0].output->headroom = 1.256;
  EXPECT_THAT(QuantizeTable(summary, {}),
              HasSubstr("conv2d     1     7   1.26 "));
}

TEST(QuantizeTableTest, SchemesThatAreNotSymmetricAreNamed) {
  QuantizeSummary summary = SmallSummary();
  summary.report.layers[0].weight->scheme = "per_channel_affine_float_qparams";
  EXPECT_THAT(QuantizeTable(summary, {}),
              HasSubstr("  8, channel affine float qparams\n"));
}

TEST(QuantizeTableTest, UnusedRulesAreListed) {
  QuantizeSummary summary = SmallSummary();
  summary.report.unused_rules = {"module name 'fd': none"};
  EXPECT_THAT(QuantizeTable(summary, {}),
              HasSubstr("\n1 rule that chose no layer:\n"
                        "  module name 'fd': none\n"));
  summary.report.unused_rules.assign(23, "module name 'fd': none");
  EXPECT_THAT(QuantizeTable(summary, {}),
              HasSubstr("\n  and 3 more (see --json)\n\nSQNR"));
}

TEST(QuantizeTableTest, EachOutputHasALine) {
  QuantizeSummary summary = SmallSummary();
  summary.batches = 1;
  summary.outputs = {
      {"output[0]", 30.25},
      {"output['logits']", std::numeric_limits<double>::infinity()}};
  EXPECT_THAT(QuantizeTable(summary, {}),
              EndsWith("\nSQNR of the outputs, 1 batch:\n"
                       "  output[0]          30.2 dB\n"
                       "  output['logits']  exact\n"));
}

TEST(QuantizeTableTest, SaysWhatAHeadroomDoes) {
  QuantizeSummary summary = SmallSummary();
  EXPECT_THAT(QuantizeTable(summary, {}), Not(HasSubstr("headroom")));
  summary.headroom = HeadroomTrial{3, 1.25, 20.5, 24.5};
  EXPECT_THAT(
      QuantizeTable(summary, {}),
      HasSubstr("\nheadroom of 1.25:\n"
                "  models that have not seen batch 3, the largest: 20.5 "
                "dB without it, 24.5 dB with it\n"));
  summary.headroom->with_db = 19;
  EXPECT_THAT(QuantizeTable(summary, {}),
              HasSubstr("\nheadroom of 1.25, which costs too much:\n"));
}

TEST(QuantizeTableTest, ABudgetEndsIt) {
  QuantizeSummary summary = SmallSummary();
  EXPECT_THAT(QuantizeTable(summary, {}), Not(HasSubstr("recipe")));
  summary.budget = BudgetReport{20, 20.41, 20.62, 8, 9, 7, 1769, 3680};
  EXPECT_THAT(
      QuantizeTable(summary, {}),
      HasSubstr("\nfastest recipe found for 20 dB:\n"
                "  20.4 dB predicted, 20.6 dB measured on 8 batches\n"
                "  7 of 9 layers in int8; 1769 us for a batch, float model "
                "3680 us\n"));
}

TEST(QuantizeTableTest, WithoutBatchesThereAreNoOutputs) {
  QuantizeSummary summary = SmallSummary();
  summary.batches = 0;
  summary.outputs.clear();
  EXPECT_THAT(QuantizeTable(summary, {}), Not(HasSubstr("SQNR")));
}

TEST(QuantizeTableTest, NamesTheModelItself) {
  QuantizeSummary summary = SmallSummary();
  summary.report.stayed_float = {{"", "Net", "why"}};
  EXPECT_THAT(QuantizeTable(summary, {}), HasSubstr("the model (Net)"));
}

TEST(QuantizeTableTest, AModelWithoutQuantizedLayersHasNoRows) {
  QuantizeSummary summary = SmallSummary();
  summary.report.layers.clear();
  EXPECT_THAT(
      QuantizeTable(summary, {}),
      StartsWith("0 layers quantized (static, fbgemm), 1 stayed float\n"));
}

TEST(QuantizeTableTest, RowsFitATerminalOf80Columns) {
  QuantizeSummary summary = SmallSummary();
  LayerQuantization& layer = summary.report.layers[0];
  layer.name = "features.denseblock1.denselayer1.downsample.0";
  layer.op = "aten::adaptive_avg_pool2d";
  layer.inputs[0].scale = 1.2345678e-10;
  TableOptions options;
  options.width = 80;
  const std::string table = QuantizeTable(summary, options);
  const std::string rows = table.substr(0, table.find("\n\n"));
  for (const absl::string_view row : absl::StrSplit(rows, '\n')) {
    const auto columns = absl::c_count_if(
        row, [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; });
    EXPECT_LE(columns, 80) << row;
  }
  EXPECT_THAT(rows, HasSubstr("1.235e-10     64  0.01235      0  8, channel"));
}

TEST(QuantizeTableTest, NamesCannotDriveTheTerminal) {
  QuantizeSummary summary = SmallSummary();
  constexpr char kEvil[] = "a\x1b[2J";
  LayerQuantization& layer = summary.report.layers[0];
  layer.name = layer.op = layer.rule = layer.qconfig = kEvil;
  summary.report.stayed_float = {{kEvil, kEvil, kEvil}};
  summary.report.unused_rules = {kEvil};
  summary.outputs = {{kEvil, 1}};
  EXPECT_THAT(QuantizeTable(summary, {}), Not(HasSubstr("\x1b")));
}

TEST(QuantizeTableTest, ColorsHeadingsWhenAsked) {
  TableOptions options;
  options.color = true;
  EXPECT_THAT(QuantizeTable(SmallSummary(), options),
              HasSubstr("\x1b[1mlayer"));
}

}  // namespace
}  // namespace ns
