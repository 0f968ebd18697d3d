#include "ns/suite/compare_models.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/suite/comparisons.h"
#include "ns/suite/numeric_suite.h"
#include "passes/extraction/extract_logger_info.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CompareModelsTest : public testing::Test {
 protected:
  CompareModelsTest() {
    at::manual_seed(1);
    conv_ = at::randn({4, 3, 3, 3});
    fc_ = at::randn({5, 4});
  }

  ModelGraph Float() const {
    return OrThrow(ModelGraph::FromModule(MakeModel(
        {{"conv", Conv2d(conv_)}, {"relu", Relu()}, {"fc", Linear(fc_)}},
        {"x = self.relu.forward(self.conv.forward(x))",
         "return self.fc.forward(x.mean([2, 3]))"})));
  }
  ModelGraph Quantized() const {
    return OrThrow(ModelGraph::FromModule(
        MakeModel({{"quant", Quantize()},
                   {"conv", QuantizedConv2d(conv_, true)},
                   {"fc", QuantizedLinear(fc_, false)},
                   {"dequant", DeQuantize()}},
                  {"x = self.conv.forward(self.quant.forward(x))",
                   "x = self.fc.forward(x.mean([2, 3]))",
                   "return self.dequant.forward(x)"})));
  }

  static Batch BatchOf(const at::Tensor& x) {
    Batch batch;
    batch.arguments = {x};
    return batch;
  }
  std::vector<Batch> Batches(int count) const {
    std::vector<Batch> batches;
    for (int i = 0; i < count; ++i) {
      batches.push_back(BatchOf(at::rand({2, 3, 8, 8})));
    }
    return batches;
  }

  BatchReader Reader(int count) const {
    return BatchReader::FromBatches(Batches(count));
  }

  static const LayerComparison& LayerOf(const ComparisonResult& result,
                                        const std::string& name) {
    for (const LayerComparison& layer : result.layers) {
      if (layer.name == name) {
        return layer;
      }
    }
    throw std::runtime_error("no layer " + name);
  }

  at::Tensor conv_;
  at::Tensor fc_;
};

TEST_F(CompareModelsTest, ComparesWeightsWithoutInputs) {
  const auto result = OrThrow(
      CompareModels(Float(), Quantized(), BatchReader::FromBatches({})));
  EXPECT_EQ(result.batches, 0);
  ASSERT_THAT(LayerOf(result, "conv").weights, SizeIs(1));
  const WeightComparison& weight = LayerOf(result, "conv").weights[0];
  EXPECT_THAT(weight.shape, ElementsAre(4, 3, 3, 3));
  EXPECT_NEAR(weight.error.sqnr_db,
              OrThrow(ComputeSqnr(conv_, QuantizeWeight(conv_))), 1e-6);
  EXPECT_FALSE(LayerOf(result, "conv").activation.has_value());
}

TEST_F(CompareModelsTest, PoolsActivationsOverBatches) {
  CompareOptions options;
  options.activations = true;
  const auto result =
      OrThrow(CompareModels(Float(), Quantized(), Reader(3), options));
  EXPECT_EQ(result.batches, 3);
  const auto& activation = LayerOf(result, "conv").activation;
  ASSERT_TRUE(activation.has_value());
  EXPECT_THAT(activation->shape, ElementsAre(2, 4, 6, 6));
  EXPECT_THAT(activation->batch_sqnr_db, SizeIs(3));
  const auto [least, most] = std::minmax_element(
      activation->batch_sqnr_db.begin(), activation->batch_sqnr_db.end());
  EXPECT_GE(activation->error.sqnr_db, *least);
  EXPECT_LE(activation->error.sqnr_db, *most);
}

TEST_F(CompareModelsTest, AgreesWithLoggersAndExtraction) {
  CompareOptions options;
  options.activations = true;
  options.exact = true;
  const std::vector<Batch> batches = Batches(1);
  const auto result = OrThrow(CompareModels(
      Float(), Quantized(), BatchReader::FromBatches(batches), options));
  LoggedModels logged = OrThrow(AddLoggers("a", Float(), "b", Quantized()));
  OrThrow(logged.a.Run(batches[0].arguments));
  OrThrow(logged.b.Run(batches[0].arguments));
  const Results extracted =
      OrThrow(ExtractLoggerInfo({logged.a.module(), logged.b.module()}));
  ASSERT_EQ(extracted.layers().size(), result.layers.size());
  for (const auto& [name, by_type] : extracted.layers()) {
    const ResultsByModel& outputs = by_type.at(kNodeOutputResult);
    const at::Tensor x = outputs.at("a").at(0).values.at(0);
    const at::Tensor y = outputs.at("b").at(0).values.at(0).dequantize();
    const at::Tensor e = (x.to(at::kDouble) - y.to(at::kDouble)).flatten();
    const at::Tensor v = x.to(at::kDouble).flatten();
    const double sqnr = 10 * std::log10(at::dot(v, v).item<double>() /
                                        at::dot(e, e).item<double>());
    EXPECT_NEAR(LayerOf(result, name).activation->error.sqnr_db, sqnr, 1e-6)
        << name;
  }
}

TEST_F(CompareModelsTest, LeavesTheModelsAsTheyWere) {
  const ModelGraph a = Float();
  const ModelGraph b = Quantized();
  const std::string before_a = a.graph().toString();
  const std::string before_b = b.graph().toString();
  CompareOptions options;
  options.activations = true;
  OrThrow(CompareModels(a, b, Reader(1), options));
  EXPECT_EQ(a.graph().toString(), before_a);
  EXPECT_EQ(b.graph().toString(), before_b);
}

TEST_F(CompareModelsTest, ReportsProgress) {
  CompareOptions options;
  options.activations = true;
  std::vector<std::pair<int64_t, int64_t>> seen;
  options.progress = [&](int64_t done, int64_t total) {
    seen.emplace_back(done, total);
  };
  OrThrow(CompareModels(Float(), Quantized(), Reader(2), options));
  EXPECT_THAT(seen, ElementsAre(std::pair(1, 2), std::pair(2, 2)));
}

TEST_F(CompareModelsTest, ShowsWhatTheModelsReturn) {
  const std::vector<Batch> batches = Batches(2);
  CompareOptions options;
  options.activations = true;
  options.exact = true;
  std::vector<at::Tensor> of_float;
  std::vector<at::Tensor> of_quantized;
  options.see_outputs = [&](int64_t batch, const c10::IValue& a,
                            const c10::IValue& b) {
    EXPECT_EQ(batch, static_cast<int64_t>(of_float.size()));
    of_float.push_back(a.toTensor());
    of_quantized.push_back(b.toTensor());
    return batch == 1 ? absl::CancelledError("seen") : absl::OkStatus();
  };
  EXPECT_EQ(
      MessageOf(CompareModels(Float(), Quantized(),
                              BatchReader::FromBatches(batches), options)),
      "seen");
  ASSERT_THAT(of_float, SizeIs(2));
  for (size_t i = 0; i < batches.size(); ++i) {
    const auto& arguments = batches[i].arguments;
    EXPECT_TRUE(of_float[i].equal(OrThrow(Float().Run(arguments)).toTensor()));
    EXPECT_TRUE(
        of_quantized[i].equal(OrThrow(Quantized().Run(arguments)).toTensor()));
  }
}

TEST_F(CompareModelsTest, EndsWhenItIsSettled) {
  const std::vector<Batch> batches = Batches(3);
  CompareOptions options;
  options.activations = true;
  std::vector<std::pair<int64_t, int64_t>> seen;
  options.is_settled = [&](const ComparisonResult& so_far, int64_t left) {
    seen.emplace_back(so_far.batches, left);
    EXPECT_THAT(LayerOf(so_far, "conv").activation->batch_sqnr_db,
                SizeIs(so_far.batches));
    return so_far.batches == 2;
  };
  const auto stopped = OrThrow(CompareModels(
      Float(), Quantized(), BatchReader::FromBatches(batches), options));
  EXPECT_THAT(seen, ElementsAre(std::pair(1, 2), std::pair(2, 1)));
  EXPECT_EQ(stopped.batches, 2);
  options.is_settled = nullptr;
  const auto two = OrThrow(CompareModels(
      Float(), Quantized(), BatchReader::FromBatches({batches[0], batches[1]}),
      options));
  EXPECT_EQ(LayerOf(stopped, "fc").activation->error.sqnr_db,
            LayerOf(two, "fc").activation->error.sqnr_db);
}

TEST_F(CompareModelsTest, MatchesAreCheckedBeforeAnythingRuns) {
  CompareOptions options;
  options.activations = true;
  bool has_run = false;
  options.progress = [&](int64_t, int64_t) { has_run = true; };
  options.check_matches = [](const ComparisonResult& result) {
    EXPECT_THAT(LayerOf(result, "conv").weights, SizeIs(1));
    EXPECT_FALSE(LayerOf(result, "conv").activation.has_value());
    return absl::InvalidArgumentError("no such layer");
  };
  EXPECT_EQ(MessageOf(CompareModels(Float(), Quantized(), Reader(1), options)),
            "no such layer");
  EXPECT_FALSE(has_run);
}

TEST_F(CompareModelsTest, NamesBatchAndModelThatFail) {
  CompareOptions options;
  options.activations = true;
  std::vector<Batch> batches = Batches(1);
  batches.push_back(BatchOf(at::rand({2, 7, 8, 8})));
  batches[1].source = "inputs.pt: batch 1";
  EXPECT_THAT(
      MessageOf(CompareModels(Float(), Quantized(),
                              BatchReader::FromBatches(batches), options)),
      testing::StartsWith("inputs.pt: batch 1: the float model, "));
}

TEST_F(CompareModelsTest, SameModelTwiceHasNoError) {
  CompareOptions options;
  options.activations = true;
  const auto result =
      OrThrow(CompareModels(Float(), Float(), Reader(1), options));
  for (const LayerComparison& layer : result.layers) {
    EXPECT_EQ(layer.activation->error.sqnr_db, INFINITY) << layer.name;
  }
  EXPECT_THAT(result.warnings, Contains(HasSubstr("no quantized op")));
}

TEST_F(CompareModelsTest, RefusesSwappedModels) {
  EXPECT_THAT(MessageOf(CompareModels(Quantized(), Float(),
                                      BatchReader::FromBatches({}))),
              HasSubstr("swap --float and --quantized"));
}

TEST_F(CompareModelsTest, RefusesUnrelatedModels) {
  const ModelGraph other = OrThrow(ModelGraph::FromModule(
      MakeModel({{"other", QuantizedLinear(at::randn({7, 9}), false)}},
                {"return self.other.forward(x)"})));
  EXPECT_THAT(
      MessageOf(CompareModels(Float(), other, BatchReader::FromBatches({}))),
      HasSubstr("no layer in common"));
}

TEST_F(CompareModelsTest, DescribesMatchesWithoutFigures) {
  const auto result = OrThrow(DescribeMatches(Float(), Quantized()));
  EXPECT_EQ(result.matching, "aligned");
  EXPECT_THAT(LayerOf(result, "conv").float_side.subgraph,
              ElementsAre("aten::conv2d", "aten::relu"));
  EXPECT_THAT(LayerOf(result, "conv").weights, IsEmpty());
}

// The mean has no weights; a host may know of some.
TEST_F(CompareModelsTest, ComparesWeightsOfFunctionsOfTheUser) {
  const ModelGraph a = Float();
  const ModelGraph b = Quantized();
  CompareOptions options;
  options.op_to_weight_extraction_fn["aten::mean"] =
      [](const torch::jit::Node& node,
         const ModelGraph& model) -> absl::StatusOr<std::vector<NamedTensor>> {
    EXPECT_EQ(node.owningGraph(), &model.graph());
    const bool is_float = !NodesOf(model.graph(), "aten::conv2d").empty();
    return std::vector<NamedTensor>{
        {"factor", at::full({2}, is_float ? 10.0 : 9.0)}};
  };
  const ComparisonResult result =
      OrThrow(CompareModels(a, b, Reader(0), options));
  const LayerComparison& mean = LayerOf(result, "mean");
  ASSERT_THAT(mean.weights, SizeIs(1));
  EXPECT_EQ(mean.weights[0].name, "factor");
  EXPECT_NEAR(mean.weights[0].error.sqnr_db, 20, 1e-6);
  EXPECT_THAT(LayerOf(result, "fc").weights, SizeIs(1));
}

}  // namespace
}  // namespace ns
