#include "passes/emulation/add_saturation_counters.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/serialization/import.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "ir/model/model_graph.h"
#include "passes/runtime/fbgemm_ops/quantize_dynamically.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"
#include "tests/testing/small_layers.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

// A model of one op, `ops.ns.<call>`, on `layer`.
ModelGraph OneLayer(const std::string& call, const c10::IValue& layer) {
  return ModelOfSource(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return ops.ns." +
          call + "\n",
      {{"layer", layer}});
}

std::vector<CountedNode> Count(ModelGraph& model) {
  std::vector<CountedNode> counted = OrThrow(AddSaturationCounters(model));
  NS_EXPECT_OK(VerifyGraph(model.graph()));
  return counted;
}

TEST(AddSaturationCountersTest, CountsAreThoseOfAPlainLoopOverALinearLayer) {
  for (const int64_t k : {1, 2, 7, 64, 333}) {
    const at::Tensor weight = RandomInt8({9, k}, 127);
    const at::Tensor codes = RandomCodes({6, k}, 100);
    ModelGraph model =
        OneLayer("fbgemm_linear(x, self.layer, 0.5, 3)", LinearLayer(weight));
    const auto counted = Count(model);
    ASSERT_EQ(counted.size(), 1);
    OrThrow(model.Run({codes}));
    EXPECT_EQ(counted[0].counter->outputs(), 54);
    EXPECT_EQ(counted[0].counter->saturated(), CountSaturated(codes, weight));
    EXPECT_EQ(counted[0].counter->saturated() > 0, k > 1) << k;
  }
}

// Of 1x1 kernels: pixels are rows of a matrix.
TEST(AddSaturationCountersTest, CountsAreThoseOfAPlainLoopOverAConvolution) {
  const at::Tensor weight = RandomInt8({5, 6, 1, 1}, 127);
  const at::Tensor codes = RandomCodes({2, 6, 3, 3}, 100);
  ModelGraph model =
      OneLayer("fbgemm_conv2d_relu(x, self.layer, 0.5, 3)", ConvLayer(weight));
  const auto counted = Count(model);
  ASSERT_EQ(counted.size(), 1);
  OrThrow(model.Run({codes}));
  OrThrow(model.Run({codes}));
  const int64_t expected = CountSaturated(
      codes.permute({0, 2, 3, 1}).reshape({18, 6}), weight.reshape({5, 6}));
  EXPECT_GT(expected, 0);
  EXPECT_EQ(counted[0].counter->outputs(), 2 * 90);
  EXPECT_EQ(counted[0].counter->saturated(), 2 * expected);
}

TEST(AddSaturationCountersTest, CountsOnTheCodesOfDynamicOps) {
  const at::Tensor weight = RandomInt8({5, 16}, 127);
  const at::Tensor x = at::rand({4, 16}) - 0.1;
  ModelGraph model = OneLayer("fbgemm_linear_dynamic(x, self.layer, False)",
                              LinearLayer(weight));
  const auto counted = Count(model);
  OrThrow(model.Run({x}));
  const int64_t expected =
      CountSaturated(QuantizeDynamically(x, false, "test"), weight);
  EXPECT_GT(expected, 0);
  EXPECT_EQ(counted.at(0).counter->outputs(), 20);
  EXPECT_EQ(counted.at(0).counter->saturated(), expected);
}

TEST(AddSaturationCountersTest, WeightsOfReducedRangeNeverSaturate) {
  ModelGraph model = OneLayer("fbgemm_conv2d(x, self.layer, 0.5, 3)",
                              ConvLayer(RandomInt8({8, 4, 3, 3}, 63)));
  const auto counted = Count(model);
  ASSERT_EQ(counted.size(), 1);
  EXPECT_FALSE(counted[0].check.IsPossible());
  OrThrow(model.Run({RandomCodes({2, 4, 5, 5}, 200)}));
  EXPECT_EQ(counted[0].counter->outputs(), 2 * 8 * 3 * 3);
  EXPECT_EQ(counted[0].counter->saturated(), 0);
}

TEST(AddSaturationCountersTest, PoolsWhatBranchesAndLoopsDo) {
  const at::Tensor weight = RandomInt8({8, 8}, 127);
  const c10::IValue layer = LinearLayer(weight);
  ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor, c: bool, n: int) -> Tensor:\n"
      "    if c:\n"
      "        for i in range(n):\n"
      "            x = ops.ns.fbgemm_linear(x, self.layer, 0.05, 64)\n"
      "    return x\n",
      {{"layer", layer}});
  const auto counted = Count(model);
  ASSERT_EQ(counted.size(), 1);
  at::Tensor codes = RandomCodes({2, 8}, 150);
  OrThrow(model.Run({codes, false, 3}));
  EXPECT_EQ(counted[0].counter->outputs(), 0);
  OrThrow(model.Run({codes, true, 3}));
  int64_t expected = 0;
  for (int i = 0; i < 3; ++i) {
    expected += CountSaturated(codes, weight);
    codes = CallOp("ns::fbgemm_linear", {codes, layer, 0.05, int64_t{64}})
                .toTensor();
  }
  EXPECT_GT(expected, 0);
  EXPECT_EQ(counted[0].counter->outputs(), 3 * 16);
  EXPECT_EQ(counted[0].counter->saturated(), expected);
}

TEST(AddSaturationCountersTest, EachCallOfALayerHasACounter) {
  ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    y = ops.ns.fbgemm_linear(x, self.layer, 0.5, 3)\n"
      "    return ops.ns.fbgemm_linear(y, self.layer, 0.5, 3)\n",
      {{"layer", LinearLayer(RandomInt8({8, 8}, 127))}});
  const auto counted = Count(model);
  ASSERT_EQ(counted.size(), 2);
  EXPECT_NE(counted[0].counter, counted[1].counter);
}

TEST(AddSaturationCountersTest, TheModelComputesWhatItDid) {
  ModelGraph model = OneLayer("fbgemm_linear(x, self.layer, 0.5, 3)",
                              LinearLayer(RandomInt8({8, 8}, 127)));
  ModelGraph counting = OrThrow(model.Clone());
  Count(counting);
  const at::Tensor codes = RandomCodes({4, 8}, 0);
  ExpectEqualValues(OrThrow(counting.Run({codes})),
                    OrThrow(model.Run({codes})));
}

TEST(AddSaturationCountersTest, AModelSavesItsCounts) {
  ModelGraph model = OneLayer("fbgemm_linear(x, self.layer, 0.5, 3)",
                              LinearLayer(RandomInt8({8, 8}, 127)));
  const auto counted = Count(model);
  OrThrow(model.Run({RandomCodes({4, 8}, 200)}));
  const std::string path = TemporaryPath("counted.pt");
  NS_ASSERT_OK(model.Save(path));
  const torch::jit::Module loaded = torch::jit::load(path);
  const auto counter =
      loaded.attr("ns_saturation_0").toCustomClass<SaturationCounter>();
  EXPECT_EQ(counter->outputs(), 32);
  EXPECT_EQ(counter->saturated(), counted.at(0).counter->saturated());
}

}  // namespace
}  // namespace ns
