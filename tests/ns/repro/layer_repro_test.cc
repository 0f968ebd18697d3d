#include "ns/repro/layer_repro.h"

#include <ATen/Functions.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "passes/matching/graph_matcher.h"
#include "tests/ns/repro/layer_repro_fixture.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(LayerReproTest, FiguresAreThoseOfTheShadow) {
  const std::vector<at::Tensor> inputs = {at::randn({2, 3, 8, 8}),
                                          at::randn({4, 3, 8, 8}) * 3};
  const LayerRepro repro = Repro("conv", inputs);
  std::vector<at::Tensor> x;
  std::vector<at::Tensor> y;
  for (const at::Tensor& input : inputs) {
    x.push_back(FloatConv(QuantizedInput(input).dequantize()).flatten());
    y.push_back(QuantizedConv(input).dequantize().flatten());
  }
  EXPECT_NEAR(repro.of_all.SqnrDb(),
              FiguresBetween(at::cat(x), at::cat(y)).sqnr_db, 1e-4);
  EXPECT_EQ(repro.batches, 2);
  // The batch that clips, and one sample of it.
  EXPECT_EQ(repro.batch, 1);
  EXPECT_EQ(repro.samples_in_batch, 4);
  EXPECT_EQ(repro.samples.size(), 1);
  ASSERT_THAT(repro.inputs, SizeIs(1));
  EXPECT_TRUE(
      repro.inputs[0].equal(QuantizedInput(inputs[1]).dequantize().narrow(
          0, repro.samples.begin, 1)));
  // And one channel of the layer.
  EXPECT_EQ(repro.channels_in_layer, conv_.size(0));
  EXPECT_EQ(repro.channels.size(), 1);
  const at::Tensor kept = repro.inputs[0];
  const auto channel = [&](const at::Tensor& output) {
    return output.narrow(1, repro.channels.begin, 1).contiguous();
  };
  EXPECT_NEAR(repro.of_kept.SqnrDb(),
              FiguresBetween(channel(FloatConv(kept)),
                             channel(QuantizedConv(kept).dequantize()))
                  .sqnr_db,
              1e-4);
  EXPECT_LE(repro.of_kept.SqnrDb(), repro.of_all.SqnrDb() + kMostGainDb);
}

// The model scales its input by the number of the call.
TEST_F(LayerReproTest, InputsAreThoseOfTheCallThatWasMeasured) {
  constexpr char kCounts[] =
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    self.calls += 1\n"
      "    return torch.tanh(x * self.calls) * SCALE\n";
  const auto model = [&](const std::string& scale) {
    return OrThrow(ModelGraph::FromModule(MakeModule(
        "Counts", WithScale(kCounts, scale), {{"calls", at::zeros({1})}})));
  };
  const ModelGraph a = model("1.0");
  const ModelGraph b = model("1.1");
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  const size_t scaled = OrThrow(FindMatchByName(matches, "mul@1"));
  const at::Tensor x = at::randn({1, 6});
  const std::vector<at::Tensor> inputs = {x / 100, x, x / 200, x / 300};
  std::vector<Batch> batches;
  for (const at::Tensor& input : inputs) {
    batches.push_back(BatchOf({input}));
  }
  const LayerRepro repro =
      OrThrow(MakeLayerRepro(a, b, matches.matches[scaled],
                             BatchReader::FromBatches(std::move(batches))));
  ASSERT_EQ(repro.batch, 1);
  ASSERT_THAT(repro.inputs, SizeIs(1));
  EXPECT_TRUE(repro.inputs[0].equal(at::tanh(x * 2)));
}

TEST_F(LayerReproTest, AQuantizePointIsALayer) {
  const at::Tensor x = at::randn({1, 3, 8, 8}) * 9;  // clips
  LayerRepro repro = Repro("quant", {x});
  EXPECT_NEAR(repro.of_all.SqnrDb(),
              FiguresBetween(x, QuantizedInput(x)).sqnr_db, 1e-4);
  EXPECT_TRUE(repro.inputs[0].equal(x));
  EXPECT_TRUE(OrThrow(repro.layers.float_layer.Run({x})).toTensor().equal(x));
}

TEST_F(LayerReproTest, ALayerWithoutErrorIsRefused) {
  const ModelGraph same = OrThrow(a_.Clone());
  const MatchResult matches = OrThrow(MatchSubgraphs(a_, same));
  const auto repro = MakeLayerRepro(
      a_, same, matches.matches[0],
      BatchReader::FromBatches({BatchOf({at::randn({1, 3, 8, 8})})}));
  EXPECT_THAT(MessageOf(repro),
              AllOf(HasSubstr("layer 'conv'"), HasSubstr("adds no error")));
}

TEST_F(LayerReproTest, UnknownNamesGetTheNearest) {
  EXPECT_THAT(MessageOf(FindMatchByName(matches_, "convv")),
              AllOf(HasSubstr("'convv'"), HasSubstr("'conv'?")));
  EXPECT_THAT(MessageOf(FindMatchByName(matches_, "zzzzzzzz")),
              HasSubstr("ns match"));
}

}  // namespace
}  // namespace ns
