// Who is to blame when a batch does not run.

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/engine_error.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/pair_runner.h"
#include "tests/ns/suite/pair_runner_fixture.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

using PairRunnerFailuresTest = PairRunnerTest;

constexpr char kOverwrites[] =
    "def forward(self, x: Tensor) -> Tensor:\n"
    "    torch.neg_(x)\n"
    "    return torch.sigmoid(x)\n";

TEST_F(PairRunnerFailuresTest, NamesTheModelThatABatchDoesNotFit) {
  const auto one = [] {
    return ModelOfSource(
        "def forward(self, x: Tensor) -> Tensor:\n"
        "    return torch.sigmoid(x)\n");
  };
  const auto two = [] {
    return ModelOfSource(
        "def forward(self, x: Tensor, y: Tensor) -> Tensor:\n"
        "    return torch.sigmoid(x)\n");
  };
  Running models(one(), two());
  const at::Tensor x = at::randn({4});
  const absl::Status of_quantized = models.runner.Run(BatchOf({x}));
  EXPECT_EQ(of_quantized.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(of_quantized.message()),
              StartsWith("the quantized model, method 'forward' takes 2"));
  EXPECT_THAT(std::string(models.runner.Run(BatchOf({x, x})).message()),
              StartsWith("the float model, method 'forward' takes 1"));
  EXPECT_THAT(std::string(models.runner.Run(BatchOf({"text"})).message()),
              StartsWith("the float model, "));
  EXPECT_FALSE(models.runner.FiguresOf(0).activation.has_value());
}

TEST_F(PairRunnerFailuresTest, NamesTheModelThatFailsAndWhy) {
  for (const bool exact : {false, true}) {
    Running models(Float(), Quantized(), All(exact));
    const absl::Status status =
        models.runner.Run(BatchOf({at::randn({2, 5, 8, 8})}));
    EXPECT_THAT(std::string(status.message()),
                AllOf(StartsWith("the float model, "), HasSubstr("channels")));
    EXPECT_TRUE(IsEngineError(status));
    // And goes on.
    const at::Tensor x = at::randn({2, 3, 8, 8});
    NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
    EXPECT_NEAR(models.Activation("conv").error.sqnr_db,
                FiguresBetween(FloatConv(x), QuantizedConv(x)).sqnr_db, 0.01);
  }
}

// Metrics fail at all layers, and the first one is named.
TEST_F(PairRunnerFailuresTest, NamesTheFirstLayerAtWhichAMetricFails) {
  CompareOptions options = All(/*exact=*/true);
  options.user_metrics.push_back(
      {"fails", [](const at::Tensor&, const at::Tensor&) -> double {
         TORCH_CHECK(false, "only images");
       }});
  std::string source = "def forward(self, x: Tensor) -> Tensor:\n";
  for (int i = 0; i < 16; ++i) {
    source += "    x = torch.sigmoid(x)\n";
  }
  source += "    return x\n";
  Running models(ModelOfSource(source), ModelOfSource(source), options);
  EXPECT_EQ(
      std::string(models.runner.Run(BatchOf({at::ones({2})})).message()),
      "metric 'fails' at the activation of sigmoid: it fails: only images");
}

TEST_F(PairRunnerFailuresTest, NamesTheShadowThatFailsAndWhy) {
  const std::string splits =
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    y = torch.sigmoid(x)\n"
      "    return torch.split_with_sizes(y, [1, 1])[0]\n";
  // Twice as many rows, which the float model's sizes do not fit.
  const std::string splits_twice =
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    y = torch.sigmoid(x)\n"
      "    return torch.split_with_sizes(torch.cat([y, y]), [1, 3])[0]\n";
  for (const bool exact : {false, true}) {
    Running models(ModelOfSource(splits), ModelOfSource(splits_twice),
                   All(exact));
    NS_ASSERT_OK(models.runner.Run(BatchOf({at::ones({2, 4})})));
    ASSERT_THAT(models.runner.not_shadowed(), SizeIs(1));
    const NotShadowedMatch failed = models.runner.not_shadowed()[0];
    EXPECT_EQ(failed.name, "split_with_sizes");
    EXPECT_THAT(failed.reason, StartsWith("its float subgraph fails on values "
                                          "of the quantized model: "
                                          "split_with_sizes"));
    const size_t split = models.Index("split_with_sizes");
    EXPECT_FALSE(models.runner.FiguresOf(split).shadow.has_value());
    EXPECT_FALSE(models.runner.FiguresOf(split).inherited.has_value());
    EXPECT_EQ(models.Activation("split_with_sizes").error.max_abs_error, 0);
    EXPECT_EQ(models.Shadow("sigmoid").error.max_abs_error, 0);
  }
}

// What was compared before it failed is a part of the batches only.
TEST_F(PairRunnerFailuresTest, ShadowThatFailsInALaterBatchHasNoFigures) {
  const std::string splits =
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    y = torch.sigmoid(x)\n"
      "    return torch.split_with_sizes(y, [1, 1])[0]\n";
  const std::string splits_any =
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    y = torch.sigmoid(x)\n"
      "    y = torch.cat([y] * (1 + int(x.sum() > 100)))\n"
      "    return torch.split_with_sizes(y, [1, y.size(0) - 1])[0]\n";
  Running models(ModelOfSource(splits), ModelOfSource(splits_any), All(true));
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::ones({2, 4})})));
  EXPECT_THAT(models.runner.not_shadowed(), IsEmpty());
  EXPECT_EQ(models.Shadow("split_with_sizes").error.max_abs_error, 0);
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::full({2, 4}, 100)})));
  EXPECT_THAT(models.runner.not_shadowed(), SizeIs(1));
  const size_t split = models.Index("split_with_sizes");
  EXPECT_FALSE(models.runner.FiguresOf(split).shadow.has_value());
  EXPECT_EQ(models.Activation("split_with_sizes").batch_sqnr_db.size(), 2);
  EXPECT_EQ(models.Shadow("sigmoid").batch_sqnr_db.size(), 2);
}

// The shadow of the split fails, and then the quantized model.
TEST_F(PairRunnerFailuresTest, BatchThatFailsSaysNothingOfItsShadows) {
  Running models(
      ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                    "    y = torch.sigmoid(x)\n"
                    "    return torch.split_with_sizes(y, [1, 1])[0]\n"),
      ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                    "    y = torch.sigmoid(x)\n"
                    "    y = torch.cat([y] * (1 + int(x.sum() > 100)))\n"
                    "    z = torch.split_with_sizes(y, [1, y.size(0) - 1])[0]\n"
                    "    return z.reshape([1, 4])\n"),
      All(/*exact=*/true));
  const absl::Status status =
      models.runner.Run(BatchOf({at::full({2, 5}, 100)}));
  EXPECT_THAT(std::string(status.message()),
              StartsWith("the quantized model, "));
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::ones({2, 4})})));
  EXPECT_THAT(models.runner.not_shadowed(), IsEmpty());
  EXPECT_EQ(models.Shadow("split_with_sizes").error.max_abs_error, 0);
}

// The kernel does not fit into the input.
TEST_F(PairRunnerFailuresTest, NamesTheModelThatFailsForSmallInputs) {
  for (const bool exact : {false, true}) {
    Running models(Float(), Quantized(), All(exact));
    const absl::Status status =
        models.runner.Run(BatchOf({at::randn({2, 3, 2, 2})}));
    EXPECT_THAT(std::string(status.message()), StartsWith("the float model, "))
        << exact;
  }
}

TEST_F(PairRunnerFailuresTest, NamesTheQuantizedModelWhenItFails) {
  Running models(ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                               "    return torch.sigmoid(x)\n"),
                 ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                               "    y = torch.sigmoid(x)\n"
                               "    return y.reshape([3, 5])\n"));
  const absl::Status status = models.runner.Run(BatchOf({at::ones({4})}));
  EXPECT_THAT(std::string(status.message()),
              AllOf(StartsWith("the quantized model, "),
                    HasSubstr("invalid for input of size 4")));
  NS_EXPECT_OK(models.runner.Run(BatchOf({at::ones({15})})));
}

// Finding out which model fails runs them again.
TEST_F(PairRunnerFailuresTest, BatchThatFailsIsNotOverwrittenEither) {
  const std::string fails =
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    torch.neg_(x)\n"
      "    return torch.sigmoid(x).reshape([3, 5])\n";
  for (const bool in_a : {false, true}) {
    Running models(ModelOfSource(in_a ? fails : kOverwrites),
                   ModelOfSource(in_a ? kOverwrites : fails));
    const at::Tensor x = at::randn({4});
    const Batch batch = BatchOf({x.clone()});
    EXPECT_THAT(std::string(models.runner.Run(batch).message()),
                StartsWith(in_a ? "the float model, " : "the quantized model"));
    EXPECT_TRUE(batch.arguments[0].toTensor().equal(x));
  }
}

// A model overwrites what lets the other one run.
TEST_F(PairRunnerFailuresTest, BlamesTheModelThatFailsOnTheBatchAsItWas) {
  const std::string fails_for_ones =
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    if bool(x.sum() > 0):\n"
      "        x = x.reshape([3, 5])\n"
      "    return torch.sigmoid(x)\n";
  Running models(ModelOfSource(kOverwrites), ModelOfSource(fails_for_ones));
  EXPECT_THAT(
      std::string(models.runner.Run(BatchOf({at::ones({4})})).message()),
      StartsWith("the quantized model, "));
}

}  // namespace
}  // namespace ns
