#include "ns/suite/layer_repro.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/serialization/import.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model_graph.h"
#include "ir/refusal.h"
#include "ns/batches/batch.h"
#include "ns/batches/batch_reader.h"
#include "ns/suite/layer_modules.h"
#include "ns/suite/layer_repro_files.h"
#include "passes/matching/graph_matcher.h"
#include "tests/ns/suite/pair_runner_fixture.h"
#include "tests/testing/modules.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class LayerReproTest : public PairRunnerTest {
 protected:
  LayerReproTest()
      : a_(Float()),
        b_(Quantized()),
        matches_(OrThrow(MatchSubgraphs(a_, b_))) {}

  const SubgraphMatch& Match(const std::string& name) const {
    return matches_.matches[OrThrow(FindMatchByName(matches_, name))];
  }

  LayerRepro Repro(const std::string& layer,
                   const std::vector<at::Tensor>& inputs) const {
    std::vector<Batch> batches;
    for (const at::Tensor& x : inputs) {
      batches.push_back(BatchOf({x}));
    }
    return OrThrow(MakeLayerRepro(
        a_, b_, Match(layer), BatchReader::FromBatches(std::move(batches))));
  }

  ModelGraph a_;
  ModelGraph b_;
  MatchResult matches_;
};

TEST_F(LayerReproTest, CutsBothSubgraphsOut) {
  LayerModules layers = OrThrow(ExtractLayer(a_, b_, Match("conv")));
  ExpectShortIr(layers.quantized_layer.graph(), R"(
%1 = quantized::conv2d_relu(%0, <Object>, 0.05, 64)
return (%1))");
  ExpectShortIr(layers.float_layer.graph(), R"(
%1 = ns::as_float(%0)
%2 = aten::conv2d(%1, <Tensor>, None, [1, 1], [0, 0], [1, 1], 1)
%3 = aten::relu(%2)
return (%3))");
}

TEST_F(LayerReproTest, ALayerHasNoParametersOfTheOther) {
  ModelGraphOptions options;
  options.freeze = false;
  const ModelGraph b = OrThrow(ModelGraph::FromModule(
      MakeModel({{"quant", Quantize()}, {"conv", QuantizedConv2d(conv_, true)}},
                {"return self.conv.forward(self.quant.forward(x))"}),
      options));
  const MatchResult matches = OrThrow(MatchSubgraphs(a_, b));
  const size_t conv = OrThrow(FindMatchByName(matches, "conv"));
  LayerModules layers = OrThrow(ExtractLayer(a_, b, matches.matches[conv]));
  EXPECT_TRUE(layers.quantized_layer.module().hasattr("ns_copied_0"));
  EXPECT_FALSE(layers.float_layer.module().hasattr("ns_copied_0"));
}

TEST_F(LayerReproTest, LayersTakePlainTensors) {
  LayerModules layers = OrThrow(ExtractLayer(a_, b_, Match("conv")));
  const at::Tensor q = QuantizedInput(at::randn({2, 3, 8, 8}));
  const std::vector<at::Tensor> plain = OrThrow(TakePlainInputs({q}, layers));
  ASSERT_THAT(plain, SizeIs(1));
  EXPECT_TRUE(plain[0].equal(q.dequantize()));
  ExpectShortIr(layers.quantized_layer.graph(), R"(
%1 = aten::quantize_per_tensor(%0, 0.05, 64, 13)
%2 = quantized::conv2d_relu(%1, <Object>, 0.05, 64)
return (%2))");
  ExpectShortIr(layers.float_layer.graph(), R"(
%1 = aten::conv2d(%0, <Tensor>, None, [1, 1], [0, 0], [1, 1], 1)
%2 = aten::relu(%1)
return (%2))");
}

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

TEST_F(LayerReproTest, ALayerInALoopCannotStandAlone) {
  const ModelGraph a = ModelOfSource(WithScale(kLoop, "1.0"));
  const ModelGraph b = ModelOfSource(WithScale(kLoop, "1.1"));
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  ASSERT_FALSE(matches.matches.empty());
  const auto layers = ExtractLayer(a, b, matches.matches[0]);
  EXPECT_TRUE(IsRefusal(layers.status()));
  EXPECT_THAT(MessageOf(layers), HasSubstr("inside a loop"));
}

TEST_F(LayerReproTest, UnknownNamesGetTheNearest) {
  EXPECT_THAT(MessageOf(FindMatchByName(matches_, "convv")),
              AllOf(HasSubstr("'convv'"), HasSubstr("'conv'?")));
  EXPECT_THAT(MessageOf(FindMatchByName(matches_, "zzzzzzzz")),
              HasSubstr("ns match"));
}

TEST_F(LayerReproTest, FilesHoldTheLayersAndTheirInputs) {
  const LayerRepro repro = Repro("conv", {at::randn({1, 3, 8, 8})});
  const std::string folder = TemporaryPath("repro");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto files = OrThrow(WriteLayerRepro(repro, "onednn", folder));
  ASSERT_THAT(files, SizeIs(4));
  for (const WrittenFile& file : files) {
    EXPECT_EQ(file.bytes,
              static_cast<int64_t>(std::filesystem::file_size(file.path)));
    EXPECT_GT(file.bytes, 0);
  }
  torch::jit::Module loaded = torch::jit::load(files[0].path);
  loaded.eval();
  EXPECT_TRUE(loaded.forward({repro.inputs[0]})
                  .toTensor()
                  .allclose(FloatConv(repro.inputs[0])
                                .narrow(1, repro.channels.begin,
                                        repro.channels.size())));
  EXPECT_THAT(ReadFile(files[3].path), HasSubstr("LAYER = 'conv'"));
  EXPECT_EQ(NeedsOpLibrary(repro.layers), "");
}

}  // namespace
}  // namespace ns
