#include "ns/suite/pair_runner.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/result/comparison_result.h"
#include "passes/matching/graph_matcher.h"
#include "tests/ns/suite/pair_runner_fixture.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST_F(PairRunnerTest, FiguresAreThoseOfLibTorchsValues) {
  Running models(Float(), Quantized(), All(/*exact=*/true));
  const at::Tensor x = at::randn({2, 3, 8, 8});
  NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
  const at::Tensor of_float = FloatConv(x);
  const at::Tensor of_quantized = QuantizedConv(x);
  const ActivationComparison conv = models.Activation("conv");
  ExpectFigures(conv.error, FiguresBetween(of_float, of_quantized));
  EXPECT_THAT(conv.shape, ElementsAre(2, 4, 6, 6));
  EXPECT_EQ(conv.elements, 288);
  EXPECT_THAT(conv.batch_sqnr_db, ElementsAre(conv.error.sqnr_db));
  EXPECT_THAT(conv.trip_sqnr_db, IsEmpty());
  EXPECT_EQ(conv.ranges->float_min, of_float.min().item<double>());
  EXPECT_EQ(conv.ranges->float_max, of_float.max().item<double>());
  EXPECT_NEAR(conv.ranges->quantized_min,
              of_quantized.dequantize().min().item<double>(), 1e-6);
  EXPECT_NEAR(conv.ranges->quantized_max,
              of_quantized.dequantize().max().item<double>(), 1e-6);
  EXPECT_EQ(conv.non_finite->float_nan, 0);

  const at::Tensor shadow = FloatConv(QuantizedInput(x).dequantize());
  ExpectFigures(models.Shadow("conv").error,
                FiguresBetween(shadow, of_quantized));
  ExpectFigures(models.Inherited("conv"), FiguresBetween(of_float, shadow));
  EXPECT_THAT(models.runner.Warnings(), IsEmpty());
  EXPECT_THAT(models.runner.not_shadowed(), IsEmpty());
}

TEST_F(PairRunnerTest, CountsCodes) {
  Running models(Float(), Quantized(), All(/*exact=*/true));
  const at::Tensor x = at::randn({2, 3, 8, 8}) * 3;
  NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
  NS_ASSERT_OK(models.runner.Run(BatchOf({x * 0.5})));
  const at::Tensor codes =
      at::cat({QuantizedConv(x).int_repr(), QuantizedConv(x * 0.5).int_repr()})
          .to(at::kLong)
          .flatten();
  const at::Tensor counts = codes.bincount(/*weights=*/{}, 256);
  const CodeUse use = models.Activation("conv").codes.value();
  EXPECT_EQ(use.at_lowest, counts[0].item<int64_t>());
  EXPECT_EQ(use.at_highest, counts[255].item<int64_t>());
  EXPECT_EQ(use.unused, counts.eq(0).sum().item<int64_t>());
  EXPECT_GT(use.at_highest, 0);
}

TEST_F(PairRunnerTest, NoCodesWhereTheQuantizedSideIsFloat) {
  Running models(Float(), Float(), All(/*exact=*/true));
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::randn({2, 3, 8, 8})})));
  EXPECT_FALSE(models.Activation("conv").codes.has_value());
  EXPECT_EQ(models.Activation("conv").error.sqnr_db, INFINITY);
}

TEST_F(PairRunnerTest, NamesWorstChannelsFirst) {
  Running models(Float(), Quantized(), All(/*exact=*/true));
  const at::Tensor x = at::randn({2, 3, 8, 8});
  NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
  std::vector<std::pair<double, int64_t>> expected;
  for (int64_t channel = 0; channel < 4; ++channel) {
    expected.emplace_back(
        FiguresBetween(FloatConv(x).select(1, channel),
                       QuantizedConv(x).dequantize().select(1, channel))
            .sqnr_db,
        channel);
  }
  std::sort(expected.begin(), expected.end());
  const auto worst = models.Activation("conv").worst_channels;
  ASSERT_THAT(worst, SizeIs(3));
  EXPECT_EQ(worst[0].channel, 2);
  for (size_t i = 0; i < worst.size(); ++i) {
    EXPECT_EQ(worst[i].channel, expected[i].second);
    EXPECT_NEAR(worst[i].sqnr_db, expected[i].first, 1e-4);
  }
  // Features of the linear layer are in its last dimension, and are five.
  CompareOptions many = All(/*exact=*/true);
  many.worst_channels = 100;
  Running all(Float(), Quantized(), many);
  NS_ASSERT_OK(all.runner.Run(BatchOf({x})));
  EXPECT_THAT(all.Activation("fc").worst_channels, SizeIs(5));
}

TEST_F(PairRunnerTest, NamesNoChannelsUnlessAsked) {
  Running models(Float(), Quantized());
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::randn({2, 3, 8, 8})})));
  EXPECT_THAT(models.Activation("conv").worst_channels, IsEmpty());
}

TEST_F(PairRunnerTest, ChannelsThatAreZeroComeLast) {
  conv_.abs_();
  conv_[1] = -1;  // all zero behind the ReLU, for positive inputs
  CompareOptions options = All(/*exact=*/true);
  options.worst_channels = 4;
  Running all(Float(), Quantized(), options);
  NS_ASSERT_OK(all.runner.Run(BatchOf({at::rand({2, 3, 8, 8})})));
  const auto worst = all.Activation("conv").worst_channels;
  ASSERT_THAT(worst, SizeIs(4));
  EXPECT_EQ(worst[3].channel, 1);
  EXPECT_EQ(worst[3].sqnr_db, INFINITY);
}

TEST_F(PairRunnerTest, PoolsBatches) {
  Running models(Float(), Quantized(), All(/*exact=*/true));
  std::vector<at::Tensor> of_float;
  std::vector<at::Tensor> of_quantized;
  std::vector<double> by_batch;
  for (int64_t size = 1; size <= 3; ++size) {
    const at::Tensor x = at::randn({size, 3, 8, 8}) * size;
    NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
    of_float.push_back(FloatConv(x));
    of_quantized.push_back(QuantizedConv(x).dequantize());
    by_batch.push_back(
        FiguresBetween(of_float.back(), of_quantized.back()).sqnr_db);
  }
  const ActivationComparison conv = models.Activation("conv");
  ExpectFigures(conv.error,
                FiguresBetween(at::cat(of_float), at::cat(of_quantized)));
  ASSERT_THAT(conv.batch_sqnr_db, SizeIs(3));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(conv.batch_sqnr_db[i], by_batch[i], 1e-5);
  }
  EXPECT_THAT(conv.shape, ElementsAre(1, 4, 6, 6));
  EXPECT_EQ(conv.elements, 6 * 4 * 36);
}

TEST_F(PairRunnerTest, FusedFiguresAreCloseToExactOnes) {
  Running exact(Float(), Quantized(), All(/*exact=*/true));
  Running fused(Float(), Quantized(), All(/*exact=*/false));
  const Batch batch = BatchOf({at::randn({2, 3, 8, 8})});
  NS_ASSERT_OK(exact.runner.Run(batch));
  NS_ASSERT_OK(fused.runner.Run(batch));
  for (const char* layer : {"conv", "fc"}) {
    EXPECT_NEAR(fused.Activation(layer).error.sqnr_db,
                exact.Activation(layer).error.sqnr_db, 0.01);
    EXPECT_NEAR(fused.Shadow(layer).error.sqnr_db,
                exact.Shadow(layer).error.sqnr_db, 0.01);
    EXPECT_NEAR(fused.Inherited(layer).sqnr_db, exact.Inherited(layer).sqnr_db,
                0.01);
  }
}

TEST_F(PairRunnerTest, CountsValuesThatAreNotFinite) {
  Running models(ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                               "    return torch.sigmoid(x)\n"),
                 ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                               "    return torch.sigmoid(x)\n"));
  Running logs(ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                             "    return torch.relu(x)\n"),
               ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                             "    return torch.relu(-x)\n"));
  const at::Tensor x = at::tensor({NAN, INFINITY, -INFINITY, 1.f});
  NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
  EXPECT_EQ(models.Activation("sigmoid").non_finite->float_nan, 1);
  EXPECT_EQ(models.Activation("sigmoid").non_finite->float_inf, 0);
  NS_ASSERT_OK(logs.runner.Run(
      BatchOf({at::tensor({INFINITY, INFINITY, -INFINITY, 1.f})})));
  const NonFiniteCounts counts = logs.Activation("relu").non_finite.value();
  EXPECT_EQ(counts.float_inf, 2);
  EXPECT_EQ(counts.quantized_inf, 1);
  EXPECT_TRUE(std::isnan(logs.Activation("relu").error.sqnr_db));
}

TEST_F(PairRunnerTest, HasNoFiguresThatWereNotAskedFor) {
  CompareOptions shadows;
  shadows.activations = false;
  shadows.shadows = true;
  Running with_shadows(Float(), Quantized(), shadows);
  Running with_activations(Float(), Quantized());
  const size_t conv = with_shadows.Index("conv");
  EXPECT_FALSE(with_shadows.runner.FiguresOf(conv).shadow.has_value());
  for (Running* models : {&with_shadows, &with_activations}) {
    NS_ASSERT_OK(models->runner.Run(BatchOf({at::randn({2, 3, 8, 8})})));
    EXPECT_FALSE(models->runner.FiguresOf(conv).inherited.has_value());
  }
  EXPECT_FALSE(with_shadows.runner.FiguresOf(conv).activation.has_value());
  EXPECT_TRUE(with_shadows.runner.FiguresOf(conv).shadow.has_value());
  EXPECT_TRUE(with_activations.runner.FiguresOf(conv).activation.has_value());
  EXPECT_FALSE(with_activations.runner.FiguresOf(conv).shadow.has_value());
}

TEST_F(PairRunnerTest, RunnersOfTheSameModelsDoNotMix) {
  const ModelGraph a = Float();
  const ModelGraph b = Quantized();
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  PairRunner first = OrThrow(PairRunner::Create(a, b, matches));
  PairRunner second = OrThrow(PairRunner::Create(a, b, matches));
  NS_ASSERT_OK(first.Run(BatchOf({at::randn({2, 3, 8, 8})})));
  EXPECT_TRUE(first.FiguresOf(0).activation.has_value());
  EXPECT_FALSE(second.FiguresOf(0).activation.has_value());
}

// Loops and branches.

TEST_F(PairRunnerTest, TellsTripsOfLoopsApart) {
  Running models(ModelOfSource(WithScale(kLoop, "1.")),
                 ModelOfSource(WithScale(kLoop, "1.5")));
  const at::Tensor x = at::randn({2, 4});
  NS_ASSERT_OK(models.runner.Run(BatchOf({x, 3})));
  NS_ASSERT_OK(models.runner.Run(BatchOf({x, 2})));
  const ActivationComparison sigmoid = models.Activation("sigmoid");
  ASSERT_THAT(sigmoid.trip_sqnr_db, SizeIs(3));
  at::Tensor of_a = x;
  at::Tensor of_b = x;
  for (const double trip : sigmoid.trip_sqnr_db) {
    of_a = of_a.sigmoid();
    of_b = (of_b * 1.5).sigmoid();
    EXPECT_NEAR(trip, FiguresBetween(of_a, of_b).sqnr_db, 1e-5);
  }
  EXPECT_EQ(sigmoid.elements, 5 * 8);
  EXPECT_THAT(models.runner.Warnings(), IsEmpty());
}

TEST_F(PairRunnerTest, WarnsOfModelsThatTakeDifferentWays) {
  const std::string source =
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    if bool((x * SCALE).sum() > 0):\n"
      "        x = torch.sigmoid(x)\n"
      "    return torch.tanh(x)\n";
  Running models(ModelOfSource(WithScale(source, "1")),
                 ModelOfSource(WithScale(source, "-1")));
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::ones({3})})));
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::ones({3})})));
  NS_ASSERT_OK(models.runner.Run(BatchOf({-at::ones({3})})));
  EXPECT_FALSE(
      models.runner.FiguresOf(models.Index("sigmoid")).activation.has_value());
  EXPECT_THAT(models.runner.Warnings(),
              ElementsAre(AllOf(StartsWith("sigmoid: "), HasSubstr("2 times"),
                                HasSubstr("quantized one 1"))));
  EXPECT_THAT(models.Activation("tanh").batch_sqnr_db, SizeIs(3));
}

TEST_F(PairRunnerTest, WarnsOfShapesThatDiffer) {
  Running models(ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                               "    return torch.sigmoid(x)\n"),
                 ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                               "    return torch.sigmoid(x[0])\n"));
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::ones({3, 2})})));
  EXPECT_THAT(
      models.runner.Warnings(),
      ElementsAre(AllOf(StartsWith("sigmoid: "), HasSubstr("[3, 2] and [2]"))));
  EXPECT_FALSE(models.runner.FiguresOf(0).activation.has_value());
}

// Batches.

TEST_F(PairRunnerTest, TakesKeywordsAndDefaults) {
  const std::string source =
      "def forward(self, x: Tensor, k: float = 2.0) -> Tensor:\n"
      "    return torch.sigmoid(x * k)\n";
  Running models(ModelOfSource(source), ModelOfSource(source));
  const at::Tensor x = at::randn({4});
  NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
  Batch batch;
  batch.keywords = {{"k", 3.0}, {"x", x}};
  NS_ASSERT_OK(models.runner.Run(batch));
  NS_ASSERT_OK(models.runner.Run(BatchOf({x, 4})));  // an int for a float
  EXPECT_THAT(models.Activation("sigmoid").batch_sqnr_db, SizeIs(3));
  EXPECT_EQ(models.Activation("sigmoid").ranges->float_max,
            at::cat({(x * 2).sigmoid(), (x * 3).sigmoid(), (x * 4).sigmoid()})
                .max()
                .item<double>());
}

TEST_F(PairRunnerTest, ModelsMayHaveDefaultsOfTheirOwn) {
  const auto model = [](const char* k) {
    return ModelOfSource(
        absl::StrCat("def forward(self, x: Tensor, k: float = ", k,
                     ") -> Tensor:\n    return torch.sigmoid(x * k)\n"));
  };
  Running models(model("2."), model("3."), All(/*exact=*/true));
  const at::Tensor x = at::randn({4});
  NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
  ExpectFigures(models.Activation("sigmoid").error,
                FiguresBetween((x * 2).sigmoid(), (x * 3).sigmoid()));
}

TEST_F(PairRunnerTest, KeywordsFindTheirArgumentInEitherModel) {
  Running models(
      ModelOfSource("def forward(self, x: Tensor, y: Tensor) -> Tensor:\n"
                    "    return torch.sigmoid(x - y)\n"),
      ModelOfSource("def forward(self, y: Tensor, x: Tensor) -> Tensor:\n"
                    "    return torch.sigmoid(x - y)\n"));
  Batch batch;
  batch.keywords = {{"x", at::randn({4})}, {"y", at::randn({4})}};
  NS_ASSERT_OK(models.runner.Run(batch));
  EXPECT_EQ(models.Activation("sigmoid").error.max_abs_error, 0);
}

// Inputs that models overwrite.

constexpr char kOverwrites[] =
    "def forward(self, x: Tensor) -> Tensor:\n"
    "    torch.neg_(x)\n"
    "    return torch.sigmoid(x)\n";
constexpr char kReads[] =
    "def forward(self, x: Tensor) -> Tensor:\n"
    "    return torch.sigmoid(x)\n";

TEST_F(PairRunnerTest, OverwrittenInputsAreThoseOfOneModel) {
  for (const auto& [a, b] :
       {std::pair(kOverwrites, kReads), std::pair(kReads, kOverwrites),
        std::pair(kOverwrites, kOverwrites)}) {
    Running models(ModelOfSource(a), ModelOfSource(b), All(/*exact=*/true));
    const at::Tensor x = at::randn({4});
    const Batch batch = BatchOf({x.clone()});
    for (int i = 0; i < 2; ++i) {
      NS_ASSERT_OK(models.runner.Run(batch));
      EXPECT_TRUE(batch.arguments[0].toTensor().equal(x));
    }
    const auto value = [&](const char* source) {
      return source == kReads ? x.sigmoid() : (-x).sigmoid();
    };
    if (a == b) {
      EXPECT_EQ(models.Activation("sigmoid").error.max_abs_error, 0);
    } else {
      ExpectFigures(models.Activation("sigmoid").error,
                    FiguresBetween(value(a), value(b)));
    }
    EXPECT_EQ(models.Shadow("sigmoid").error.max_abs_error, 0);
  }
}

TEST_F(PairRunnerTest, OverwrittenElementsOfListsAreThoseOfOneModel) {
  const std::string overwrites =
      "def forward(self, x: List[Tensor]) -> Tensor:\n"
      "    torch.neg_(x[0])\n"
      "    return torch.sigmoid(x[0])\n";
  const std::string reads =
      "def forward(self, x: List[Tensor]) -> Tensor:\n"
      "    return torch.sigmoid(x[0])\n";
  for (const bool in_a : {false, true}) {
    Running models(ModelOfSource(in_a ? overwrites : reads),
                   ModelOfSource(in_a ? reads : overwrites));
    const at::Tensor x = at::randn({4});
    const at::Tensor given = x.clone();
    NS_ASSERT_OK(models.runner.Run(BatchOf({std::vector<at::Tensor>{given}})));
    EXPECT_TRUE(given.equal(x));
    const at::Tensor of_a = in_a ? (-x).sigmoid() : x.sigmoid();
    const at::Tensor of_b = in_a ? x.sigmoid() : (-x).sigmoid();
    EXPECT_NEAR(models.Activation("sigmoid").error.sqnr_db,
                FiguresBetween(of_a, of_b).sqnr_db, 1e-5);
  }
}

TEST_F(PairRunnerTest, OtherOutputsHaveFiguresByBatchAndWorstChannels) {
  const std::string source =
      "def forward(self, x: Tensor):\n"
      "    v, i = torch.sort(torch.sigmoid(torch.mul(x, SCALE)))\n"
      "    u, s, w = torch.svd(v)\n"
      "    return u, s, w, i\n";
  Running models(ModelOfSource(WithScale(source, "1.")),
                 ModelOfSource(WithScale(source, "1.5")), All(true));
  const at::Tensor x = at::randn({4, 3});
  NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
  NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
  // Indices are not compared.
  EXPECT_THAT(models.runner.FiguresOf(models.Index("sort")).outputs, IsEmpty());
  EXPECT_THAT(models.runner.FiguresOf(models.Index("sigmoid")).outputs,
              IsEmpty());
  const auto outputs = models.runner.FiguresOf(models.Index("svd")).outputs;
  ASSERT_THAT(outputs, SizeIs(2));
  EXPECT_EQ(outputs[0].index, 1);
  EXPECT_EQ(outputs[0].name, "S");
  EXPECT_EQ(outputs[1].index, 2);
  EXPECT_EQ(outputs[1].name, "V");
  const auto values = [](const at::Tensor& input, double scale) {
    return std::get<1>(
        at::svd(std::get<0>(at::sort((input * scale).sigmoid()))));
  };
  const at::Tensor of_float = values(x, 1);
  const at::Tensor of_quantized = values(x, 1.5);
  ExpectFigures(outputs[0].activation->error,
                FiguresBetween(of_float, of_quantized));
  ExpectFigures(*outputs[0].inherited, FiguresBetween(of_float, of_quantized));
  EXPECT_EQ(outputs[0].shadow->error.sqnr_db, INFINITY);
  EXPECT_EQ(outputs[0].activation->shape, std::vector<int64_t>{3});
  EXPECT_THAT(outputs[0].activation->batch_sqnr_db, SizeIs(2));
  EXPECT_THAT(outputs[0].activation->worst_channels, SizeIs(3));
}

TEST_F(PairRunnerTest, WarnsOfOtherOutputsThatCannotBeCompared) {
  const std::string source =
      "def forward(self, x: Tensor):\n"
      "    u, s, v = torch.svd(x, SCALE)\n"
      "    return u, s, v\n";
  Running models(ModelOfSource(WithScale(source, "True")),
                 ModelOfSource(WithScale(source, "False")));
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::randn({3, 4})})));
  EXPECT_THAT(models.runner.Warnings(),
              ElementsAre("svd (V): shapes differ, [4, 3] and [4, 4]; not "
                          "compared"));
  EXPECT_THAT(models.runner.FiguresOf(models.Index("svd")).outputs, SizeIs(1));
}

// The runner is handed on before it runs.
TEST_F(PairRunnerTest, ComputesMetricsOfTheUser) {
  CompareOptions options = All(/*exact=*/true);
  options.user_metrics.push_back(
      {"largest", [](const at::Tensor& x, const at::Tensor& y) {
         return (x - y).abs().max().item<double>();
       }});
  Running models(Float(), Quantized(), options);
  options.user_metrics.clear();
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::randn({2, 3, 8, 8})})));
  for (const ActivationComparison& compared :
       {models.Activation("conv"), models.Shadow("conv")}) {
    ASSERT_EQ(compared.user_figures.size(), 1);
    EXPECT_EQ(compared.user_figures[0].metric, "largest");
    EXPECT_NEAR(compared.user_figures[0].value, compared.error.max_abs_error,
                1e-6);
  }
}

}  // namespace
}  // namespace ns
