#include "ns/report/csv_report.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/result/comparison_result.h"

namespace ns {
namespace {

using ::testing::EndsWith;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const char kHeader[] =
    "name,kind,parameter,float_fqn,float_op,quantized_fqn,quantized_op,shape,"
    "sqnr_db,normalized_l2,cosine,max_abs_error,batches,elements,"
    "float_min,float_max,quantized_min,quantized_max,"
    "float_nan,float_inf,quantized_nan,quantized_inf,"
    "codes_lowest,codes_highest,codes_unused,worst_channels,dominated_by,"
    "mean_error,bias_share,channels,median_channel_sqnr_db,channels_below_3db,"
    "output_share\n";

// The fields behind "batches" of a row that has nothing there.
const char kNothing[] = ",,,,,,,,,,,,,,,0.0,0.0,,,,\n";

ActivationComparison Figures(const std::vector<int64_t>& shape,
                             const ErrorFigures& error,
                             const std::vector<double>& batches) {
  ActivationComparison figures;
  figures.shape = shape;
  figures.error = error;
  figures.batch_sqnr_db = batches;
  return figures;
}

TEST(CsvReportTest, WritesOnlyAHeaderForEmptyResult) {
  EXPECT_EQ(ToCsv({}), kHeader);
}

TEST(CsvReportTest, WritesARowForEachFigure) {
  ComparisonResult result;
  LayerComparison layer;
  layer.name = "rnn";
  layer.float_side = {"f.rnn", false, "aten::lstm", {"aten::lstm"}};
  layer.quantized_side = {
      "q.rnn", false, "aten::quantized_lstm", {"aten::quantized_lstm"}};
  layer.weights = {{"weight_ih_l0", {16, 8}, {40.5, 0.01, 1, 0.25}},
                   {"weight_hh_l0", {16, 4}, {kInfinity, 0, 1, 0}}};
  layer.activation = Figures({2, 64, 56, 56}, {30, 0.03, 0.99, 2}, {30, 31});
  layer.shadow = Figures({}, {kNan, kNan, kNan, 0}, {});
  result.layers.push_back(layer);
  EXPECT_EQ(
      ToCsv(result),
      std::string(kHeader) +
          "rnn,weight,weight_ih_l0,f.rnn,aten::lstm,q.rnn,aten::quantized_lstm,"
          "16x8,40.5,0.01,1.0,0.25," +
          kNothing +
          "rnn,weight,weight_hh_l0,f.rnn,aten::lstm,q.rnn,aten::quantized_lstm,"
          "16x4,inf,0.0,1.0,0.0," +
          kNothing +
          "rnn,activation,,f.rnn,aten::lstm,q.rnn,aten::quantized_lstm,"
          "2x64x56x56,30.0,0.03,0.99,2.0,2" +
          kNothing +
          "rnn,shadow,,f.rnn,aten::lstm,q.rnn,aten::quantized_lstm,"
          ",nan,nan,nan,0.0,0" +
          kNothing);
}

TEST(CsvReportTest, WritesOtherOutputsBehindTheFirstByName) {
  ComparisonResult result;
  LayerComparison layer;
  layer.name = "rnn";
  layer.activation = Figures({5}, {30, 0.03, 0.99, 2}, {30});
  OutputComparison output;
  output.index = 2;
  output.name = "c_n";
  output.activation = Figures({2, 3}, {20, 0.1, 0.9, 1}, {20, 21});
  output.shadow = Figures({2, 3}, {25, 0.05, 0.95, 0.5}, {25, 26});
  output.inherited = ErrorFigures{22, 0.08, 0.92, 0.75};
  layer.outputs = {output};
  result.layers.push_back(layer);
  EXPECT_EQ(ToCsv(result),
            std::string(kHeader) +
                "rnn,activation,,,,,,5,30.0,0.03,0.99,2.0,1" + kNothing +
                "rnn,activation,c_n,,,,,2x3,20.0,0.1,0.9,1.0,2" + kNothing +
                "rnn,shadow,c_n,,,,,2x3,25.0,0.05,0.95,0.5,2" + kNothing +
                "rnn,inherited,c_n,,,,,,22.0,0.08,0.92,0.75," + kNothing);
}

TEST(CsvReportTest, WritesAllThatIsKnownOfAnOutput) {
  ComparisonResult result;
  LayerComparison layer;
  layer.name = "fc";
  layer.activation = Figures({2, 8}, {6.5, 0.5, 0.99, 2}, {6.5});
  layer.activation->elements = 16;
  layer.activation->ranges = ValueRanges{-1.5, 2, -kInfinity, kNan};
  layer.activation->non_finite = NonFiniteCounts{1, 2, 3, 4};
  layer.activation->codes = CodeUse{5, 6, 240};
  layer.activation->worst_channels = {{3, 2.5}, {0, kInfinity}};
  layer.activation->channels = ChannelSummary{8, 5.5, 2};
  layer.output_share = 0.25;
  layer.shadow = Figures({2, 8}, {30, 0.5, 0.99, 2}, {30});
  layer.inherited = ErrorFigures{8, 0.5, 0.99, 2};
  layer.weight_only = ErrorFigures{33, 0.5, 0.99, 2};
  layer.activation_only = ErrorFigures{34, 0.5, 0.99, 2};
  layer.kernel = Figures({2, 8}, {60, 0.25, 1, 0}, {60});
  layer.kernel->elements = 16;
  result.layers.push_back(layer);
  EXPECT_EQ(
      ToCsv(result),
      std::string(kHeader) +
          "fc,activation,,,,,,2x8,6.5,0.5,0.99,2.0,1,16,"
          "-1.5,2.0,-inf,nan,1,2,3,4,5,6,240,3:2.5 0:inf,inherited,0.0,0.0,"
          "8,5.5,2,0.25\n"
          "fc,shadow,,,,,,2x8,30.0,0.5,0.99,2.0,1" +
          kNothing + "fc,weight_only,,,,,,,33.0,0.5,0.99,2.0," + kNothing +
          "fc,activation_only,,,,,,,34.0,0.5,0.99,2.0," + kNothing +
          "fc,inherited,,,,,,,8.0,0.5,0.99,2.0," + kNothing +
          "fc,kernel,,,,,,2x8,60.0,0.25,1.0,0.0,1,16,,,,,,,,,,,,,,0.0,0.0,,,,"
          "\n");
}

TEST(CsvReportTest, LeavesOutLayersWithoutFigures) {
  ComparisonResult result;
  result.layers.resize(3);
  EXPECT_EQ(ToCsv(result), kHeader);
}

TEST(CsvReportTest, QuotesCommasAndQuotes) {
  ComparisonResult result;
  LayerComparison layer;
  layer.name = "a,b";
  layer.float_side.fqn = "say \"hi\"";
  layer.float_side.op = "+,\"";
  layer.quantized_side.fqn = "it's";
  layer.quantized_side.op = " plain 层";
  layer.weights = {{"\"", {3}, {1.5, 0.5, 0.5, 0.5}}};
  result.layers.push_back(layer);
  EXPECT_EQ(ToCsv(result),
            std::string(kHeader) +
                "\"a,b\",weight,\"\"\"\",\"say \"\"hi\"\"\",\"'+,\"\"\","
                "it's, plain 层,3,1.5,0.5,0.5,0.5," +
                kNothing);
}

TEST(CsvReportTest, TextIsNoFormulaAndNumbersStayNumbers) {
  ComparisonResult result;
  LayerComparison layer;
  layer.name = "=cmd|' /C calc'!A0";
  layer.float_side = {"-3", false, "@SUM(1)", {}};
  layer.quantized_side = {"+1", false, "a=b", {}};
  layer.weights = {{"-x", {3}, {-3.5, 0.5, -0.5, 0.5}}};
  result.layers.push_back(layer);
  EXPECT_EQ(ToCsv(result),
            std::string(kHeader) +
                "'=cmd|' /C calc'!A0,weight,'-x,'-3,'@SUM(1),'+1,a=b,3,"
                "-3.5,0.5,-0.5,0.5," +
                kNothing);
}

TEST(CsvReportTest, EscapesControlCharacters) {
  ComparisonResult result;
  LayerComparison layer;
  layer.name = "\x1b[31mred";
  layer.float_side = {"two\nlines", false, "back\rspace", {}};
  layer.quantized_side = {std::string("a\0b", 3), false, "\t=1", {}};
  layer.weights = {{"\u009b", {3}, {1.5, 0.5, 0.5, 0.5}}};
  result.layers.push_back(layer);
  EXPECT_EQ(ToCsv(result), std::string(kHeader) +
                               "\\x1b[31mred,weight,\\x9b,two\\x0alines,"
                               "back\\x0dspace,a\\x00b,\\x09=1,3,"
                               "1.5,0.5,0.5,0.5," +
                               kNothing);
}

TEST(CsvReportTest, WritesARowForEachStub) {
  ComparisonResult result;
  result.stubs = {{"layer1.0", "my.Block", "my.QuantizedBlock",
                   Figures({2, 8}, {30.5, 0.03, 0.5, 0.25}, {30, 31})}};
  EXPECT_EQ(ToCsv(result),
            std::string(kHeader) +
                "layer1.0,stub,,layer1.0,my.Block,layer1.0,my.QuantizedBlock,"
                "2x8,30.5,0.03,0.5,0.25,2" +
                kNothing);
  (*result.stubs)[0].outputs = {
      {1, "h_n", Figures({4}, {20.5, 0.1, 0.5, 0.25}, {20})}};
  EXPECT_THAT(
      ToCsv(result),
      EndsWith(
          "\nlayer1.0,stub,h_n,layer1.0,my.Block,layer1.0,my.QuantizedBlock,"
          "4,20.5,0.1,0.5,0.25,1" +
          std::string(kNothing)));
}

TEST(CsvReportTest, WritesARowForEachOutput) {
  ComparisonResult result;
  const ActivationComparison figures =
      Figures({2, 8}, {30.5, 0.03, 0.5, 0.25}, {30, 31});
  result.outputs = {{"fc", "my.Linear", "my.QuantizedLinear", figures},
                    {"output", "", "", figures}};
  EXPECT_EQ(ToCsv(result), std::string(kHeader) +
                               "fc,output,,fc,my.Linear,fc,my.QuantizedLinear,"
                               "2x8,30.5,0.03,0.5,0.25,2" +
                               kNothing +
                               "output,output,,,,,,2x8,30.5,0.03,0.5,0.25,2" +
                               kNothing);
}

}  // namespace
}  // namespace ns
