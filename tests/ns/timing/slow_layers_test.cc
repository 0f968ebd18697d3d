#include "ns/timing/slow_layers.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/result/coverage.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

LayerComparison Timed(const std::string& name, double float_us,
                      double quantized_us) {
  LayerComparison layer = Layer(name, 30);
  layer.time = LayerTime{float_us, quantized_us, quantized_us / 1000};
  layer.runs_in = RunsIn::kInt8;
  return layer;
}

ComparisonResult TimedResult(std::vector<LayerComparison> layers) {
  ComparisonResult result = Result(std::move(layers));
  result.times = ModelTimes();
  result.times->quantized_us = 1000;
  return result;
}

TEST(SlowLayersTest, SortsThemByWhatTheyCost) {
  const ComparisonResult result =
      TimedResult({Timed("a", 100, 130), Timed("b", 100, 60),
                   Timed("c", 100, 180), Timed("d", 100, 109)});
  const std::vector<SlowLayer> slow = SlowLayers(result);
  ASSERT_THAT(slow, SizeIs(2));
  EXPECT_EQ(slow[0].layer, 2);
  EXPECT_EQ(slow[0].extra_us, 80);
  EXPECT_EQ(slow[1].layer, 0);
}

TEST(SlowLayersTest, LeavesOutWhatCostsLittle) {
  EXPECT_THAT(SlowLayers(TimedResult({Timed("a", 2, 10)})), IsEmpty());
  EXPECT_THAT(SlowLayers(TimedResult({Timed("point", 0, 50)})), IsEmpty());
}

TEST(SlowLayersTest, FindsNoneWithoutTimes) {
  EXPECT_THAT(SlowLayers(Result({Layer("a", 30)})), IsEmpty());
}

// What is said of one layer that is slower.
SlowLayer SlowLayerOf(LayerComparison layer) {
  const std::vector<SlowLayer> slow =
      SlowLayers(TimedResult({std::move(layer)}));
  EXPECT_THAT(slow, SizeIs(1));
  return slow.at(0);
}

TEST(SlowLayersTest, NsHasAKernelForAnInt8Conv) {
  const SlowLayer slow = SlowLayerOf(Timed("conv", 100, 200));
  EXPECT_EQ(slow.reason,
            "LibTorch's int8 kernel is slower than its float kernel");
  EXPECT_TRUE(slow.has_ns_kernel);
}

TEST(SlowLayersTest, ALoweredLayerHasItsNsKernel) {
  LayerComparison layer = Timed("conv", 100, 200);
  layer.quantized_side.op = "ns::fbgemm_conv2d_relu";
  layer.quantized_side.subgraph = {"ns::fbgemm_conv2d_relu"};
  const SlowLayer slow = SlowLayerOf(layer);
  EXPECT_EQ(slow.reason,
            "the ns kernel is slower than LibTorch's float kernel");
  EXPECT_FALSE(slow.has_ns_kernel);
}

TEST(SlowLayersTest, ALayerMayPackItsWeight) {
  LayerComparison layer = Timed("fc", 100, 200);
  layer.quantized_side.subgraph = {"quantized::linear_prepack",
                                   "quantized::linear"};
  const SlowLayer slow = SlowLayerOf(layer);
  EXPECT_THAT(std::string(slow.reason), HasSubstr("packs its weight"));
  EXPECT_FALSE(slow.has_ns_kernel);
}

TEST(SlowLayersTest, AFloatLayerMayDequantize) {
  LayerComparison layer = Timed("fc", 100, 200);
  layer.runs_in = RunsIn::kFloat;
  layer.quantized_side.op = "aten::linear";
  layer.quantized_side.subgraph = {"aten::dequantize", "aten::linear"};
  EXPECT_THAT(std::string(SlowLayerOf(layer).reason),
              HasSubstr("dequantizes its input"));
  layer.quantized_side.subgraph = {"aten::linear"};
  const SlowLayer slow = SlowLayerOf(layer);
  EXPECT_EQ(slow.reason, "it computes in float in both models");
  EXPECT_FALSE(slow.has_ns_kernel);
}

TEST(SlowLayersTest, ADynamicLayerQuantizesItsInput) {
  LayerComparison layer = Timed("fc", 100, 200);
  layer.runs_in = RunsIn::kInt8Weights;
  layer.quantized_side.op = "quantized::linear_dynamic";
  layer.quantized_side.subgraph = {"quantized::linear_dynamic"};
  const SlowLayer slow = SlowLayerOf(layer);
  EXPECT_EQ(slow.reason, "it quantizes its input in every run");
  EXPECT_TRUE(slow.has_ns_kernel);
}

}  // namespace
}  // namespace ns
