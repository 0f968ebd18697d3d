#include "ns/findings/cure.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/findings/causes.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ComparisonResult ResultOf(LayerComparison layer) {
  layer.float_layer = layer.name;
  ComparisonResult result = WithShadows({std::move(layer)});
  result.float_path = "float.pt";
  result.quantized_path = "quantized.pt";
  result.input_paths = {"a.pt", "b.pt"};
  return result;
}

Verdict Blaming(ErrorCause cause) {
  Verdict verdict;
  verdict.layer = 0;
  verdict.cause = cause;
  return verdict;
}

std::string CommandFor(ErrorCause cause, const LayerComparison& layer) {
  return CureOf(ResultOf(layer), Blaming(cause))->command;
}

TEST(CureTest, EachCauseWithALayerHasACure) {
  for (const CauseRow& row : Causes()) {
    const auto cure =
        CureOf(ResultOf(Broken("fc", 5, 6, 20)), Blaming(row.cause));
    if (row.cause == ErrorCause::kNone) {
      EXPECT_FALSE(cure.has_value());
      continue;
    }
    ASSERT_TRUE(cure.has_value()) << row.name;
    EXPECT_FALSE(cure->sentence.empty()) << row.name;
    if (row.cause != ErrorCause::kUnpaired &&
        row.cause != ErrorCause::kTrainingMode &&
        row.cause != ErrorCause::kRescaled &&
        row.cause != ErrorCause::kInputMismatch) {
      EXPECT_THAT(cure->command, StartsWith("ns ")) << row.name;
    }
  }
}

TEST(CureTest, CommandsHaveThePathsOfTheComparison) {
  EXPECT_EQ(CommandFor(ErrorCause::kSharedScale, Broken("add", 5, 6, 20)),
            "ns quantize --float=float.pt --inputs=a.pt,b.pt --out=mended.pt");
}

TEST(CureTest, LayersAreKeptByTheirNameInTheFloatModel) {
  ComparisonResult result = ResultOf(Broken("add_relu", 5, 6, 20));
  result.layers[0].float_layer = "add";
  result.load.method = "encode";
  result.load.engine = "qnnpack";
  EXPECT_EQ(CureOf(result, Blaming(ErrorCause::kRounding))->command,
            "ns quantize --float=float.pt --inputs=a.pt,b.pt --out=mended.pt "
            "--method=encode --backend=qnnpack --keep=add");
  // An input is no layer.
  result.layers[0].float_layer.clear();
  EXPECT_EQ(CureOf(result, Blaming(ErrorCause::kRounding))->command, "");
}

// Quantizing anew would give it the same range again.
TEST(CureTest, ALayerWithTheRangeOfItsInputIsKept) {
  LayerComparison mean = Broken("mean", 5, 6, 20);
  mean.family = "mean";
  mean.quantized_side.op = "aten::mean";
  EXPECT_THAT(CommandFor(ErrorCause::kRange, mean), EndsWith(" --keep=mean"));
  mean.quantized_side.op = "aten::quantize_per_tensor";
  EXPECT_THAT(CommandFor(ErrorCause::kRange, mean), Not(HasSubstr("--keep")));
}

TEST(CureTest, PathsAndNamesAreWordsOfAShell) {
  ComparisonResult result = ResultOf(Broken("a b", 5, 6, 20));
  result.float_path = "my model.pt";
  result.input_paths.clear();
  EXPECT_EQ(CureOf(result, Blaming(ErrorCause::kRounding))->command,
            "ns quantize --float='my model.pt' --inputs=INPUTS.pt "
            "--out=mended.pt --keep='a b'");
}

// The command for a layer that loses channels, and one that reads them.
std::string CommandForOutliers(const std::string& family,
                               const std::string& reader) {
  ComparisonResult result = ResultOf(Broken("a", 21, 21, 30));
  result.layers.push_back(Broken("b", 10, 35, 12, {0}));
  result.layers[0].family = family;
  result.layers[1].family = reader;
  result.layers[1].float_layer = "b";
  result.layers[1].weights.push_back({"weight", {1}, Error(45)});
  return CureOf(result, Blaming(ErrorCause::kOutlierChannel))->command;
}

TEST(CureTest, OutliersMoveWhereTheyCan) {
  EXPECT_THAT(CommandForOutliers("layer_norm", "linear"),
              EndsWith(" --smooth"));
  EXPECT_THAT(CommandForOutliers("conv2d", "conv2d"), EndsWith(" --equalize"));
  // What reads them would lose them, too.
  EXPECT_THAT(CommandForOutliers("layer_norm", "conv1d"),
              EndsWith(" --keep=a,b"));
  EXPECT_THAT(CommandForOutliers("mul", "linear"), EndsWith(" --keep=a,b"));
  EXPECT_THAT(
      CommandFor(ErrorCause::kOutlierChannel, Broken("head", 50, 50, 60)),
      EndsWith(" --keep=head"));
}

TEST(CureTest, WhatReadsChannelsBehindAnActivationIsKeptToo) {
  ComparisonResult result = ResultOf(Broken("a", 21, 21, 30));
  for (const char* name : {"gelu", "b", "c"}) {
    const size_t producer = result.layers.size() - 1;
    result.layers.push_back(Broken(name, 10, 35, 12, {producer}));
    result.layers.back().float_layer = name;
  }
  result.layers[2].weights.push_back({"weight", {1}, Error(45)});
  EXPECT_THAT(CureOf(result, Blaming(ErrorCause::kOutlierChannel))->command,
              EndsWith(" --keep=a,gelu,b"));
}

TEST(CureTest, CommandsLoadTheModelsAsTheComparisonDid) {
  ComparisonResult result = ResultOf(Broken("fc", 5, 6, 20));
  result.load = {"encode", "qnnpack", {"Swish", "my mul"}};
  EXPECT_EQ(CureOf(result, Blaming(ErrorCause::kUnexplained))->command,
            "ns repro --float=float.pt --quantized=quantized.pt "
            "--inputs=a.pt,b.pt --layer=fc --out=repro --method=encode "
            "--leaf='Swish,my mul' --engine=qnnpack");
  EXPECT_EQ(CureOf(result, Blaming(ErrorCause::kKernel))->command,
            "ns lower --in=quantized.pt --out=lowered.pt --method=encode "
            "--engine=qnnpack");
  EXPECT_EQ(CureOf(result, Blaming(ErrorCause::kSharedScale))->command,
            "ns quantize --float=float.pt --inputs=a.pt,b.pt --out=mended.pt "
            "--method=encode --leaf='Swish,my mul' --backend=qnnpack");
}

TEST(CureTest, DynamicModelsStayDynamic) {
  LayerComparison layer = Broken("fc", 5, 6, 20);
  layer.runs_in = RunsIn::kInt8Weights;
  EXPECT_THAT(CommandFor(ErrorCause::kRounding, layer),
              HasSubstr(" --mode=dynamic"));
  layer.runs_in = RunsIn::kInt8;
  EXPECT_THAT(CommandFor(ErrorCause::kRounding, layer),
              Not(HasSubstr("--mode")));
}

TEST(CureTest, AnotherWeightIsNotRounded) {
  LayerComparison layer = Broken("fc", 5, 6, 20);
  layer.weights.push_back({"weight", {1}, Error(3)});
  EXPECT_THAT(CommandFor(ErrorCause::kWeight, layer),
              EndsWith("--out=mended.pt"));
  layer.weights[0].error = Error(19);
  EXPECT_THAT(CommandFor(ErrorCause::kWeight, layer), HasSubstr("--adaround="));
}

TEST(CureTest, WithoutALayerThereIsNothingToMend) {
  EXPECT_FALSE(CureOf(ResultOf(Broken("fc", 40, 40, 50)), Verdict()));
}

// A layer with values from -1 to 1 on the first data set, and to `highest` on
// the second, on which the output of the model has `db` dB.
ComparisonResult OnSecondData(double highest, double db) {
  LayerComparison layer = Layer("conv1", 30);
  layer.activation->ranges = ValueRanges{-1, 1, -1, 1};
  layer.activation->codes = CodeUse{0, 0, 0};
  layer.second_data = layer.activation;
  layer.second_data->ranges = ValueRanges{-highest, highest, -1, 1};
  ComparisonResult result = ResultOf(layer);
  ModuleOutputComparison output;
  output.figures = Figures(30);
  result.model_outputs = {output};
  output.figures = Figures(db);
  result.second_data = SecondData{{"real data.pt"}, 2, {output}};
  return result;
}

TEST(CureTest, OtherDataIsForCalibration) {
  EXPECT_EQ(CureOfDataShift(OnSecondData(4, 10))->command,
            "ns quantize --float=float.pt --inputs='a.pt,b.pt,real data.pt' "
            "--out=mended.pt");
  // Ranges that are too large stay too large with both.
  EXPECT_EQ(CureOfDataShift(OnSecondData(0.1, 10))->command,
            "ns quantize --float=float.pt --inputs='real data.pt' "
            "--out=mended.pt");
}

TEST(CureTest, OtherDataThatCostsNothingNeedsNone) {
  EXPECT_FALSE(CureOfDataShift(OnSecondData(4, 28)));
  EXPECT_FALSE(CureOfDataShift(OnSecondData(1, 10)));
  ComparisonResult without = OnSecondData(4, 10);
  without.second_data.reset();
  EXPECT_FALSE(CureOfDataShift(without));
}

}  // namespace
}  // namespace ns
