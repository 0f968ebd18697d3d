#include "ns/suite/emulation.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batch_reader.h"
#include "ns/report/table/table_report.h"
#include "ns/suite/compare_models.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"
#include "tests/testing/small_layers.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using EmulationTest = EngineTest;
NS_INSTANTIATE_ON_ENGINES(EmulationTest);

// Two linear layers, of which the first has weights of +-127 and the second
// only one of them.
struct Pair {
  at::Tensor first;
  at::Tensor second;
  ModelGraph of_float;
  ModelGraph quantized;
};

Pair MakePair() {
  at::manual_seed(1);
  const at::Tensor first = at::randint(0, 2, {12, 16}) * 0.02 - 0.01;
  at::Tensor second = at::rand({4, 12}) * 0.2 + 0.05;
  // 127, next to a zero: 255 * 127 fits in 16 bits.
  second[0][0] = 1;
  second[0][1] = 0;
  return {first, second,
          ModelOfModule(MakeModel(
              {{"first", Linear(first)}, {"second", Linear(second)}},
              {"x = self.first.forward(x)", "return self.second.forward(x)"})),
          ModelOfModule(MakeModel(
              {{"quant", Quantize()},
               {"first", QuantizedLinear(first, false)},
               {"second", QuantizedLinear(second, false)},
               {"dequant", DeQuantize()}},
              {"x = self.first.forward(self.quant.forward(x))",
               "return self.dequant.forward(self.second.forward(x))"}))};
}

// Of codes up to 200, for Quantize(): some pairs saturate.
std::vector<at::Tensor> Inputs() {
  std::vector<at::Tensor> inputs;
  for (int i = 0; i < 3; ++i) {
    inputs.push_back(at::randint(0, 200, {5, 16}).sub(64).mul(0.05));
  }
  return inputs;
}

BatchReader ReaderOf(const std::vector<at::Tensor>& inputs) {
  std::vector<Batch> batches;
  for (const at::Tensor& input : inputs) {
    Batch batch;
    batch.arguments = {input};
    batches.push_back(std::move(batch));
  }
  return BatchReader::FromBatches(std::move(batches));
}

CompareOptions Emulate(kernels::SaturationMode numerics) {
  CompareOptions options;
  options.emulate = numerics;
  options.activations = options.shadows = true;
  return options;
}

TEST_P(EmulationTest, CountsAreThoseOfAPlainLoop) {
  const Pair pair = MakePair();
  const std::vector<at::Tensor> inputs = Inputs();
  const ComparisonResult result =
      OrThrow(CompareModels(pair.of_float, pair.quantized, ReaderOf(inputs),
                            Emulate(kernels::SaturationMode::kFbgemmAvx2)));
  int64_t expected = 0;
  for (const at::Tensor& input : inputs) {
    expected +=
        CountSaturated(at::quantize_per_tensor(input, 0.05, 64, at::kQUInt8),
                       QuantizeWeight(pair.first));
  }
  EXPECT_GT(expected, 20);
  EXPECT_LT(expected, 160);
  ASSERT_EQ(result.layers.size(), 3);
  EXPECT_FALSE(result.layers[0].saturation.has_value());
  const PairSaturation& first = *result.layers[1].saturation;
  EXPECT_EQ(first.numerics, "fbgemm-avx2");
  EXPECT_TRUE(first.IsPossible());
  EXPECT_EQ(first.channels, 12);
  EXPECT_EQ(first.outputs, 3 * 5 * 12);
  EXPECT_EQ(first.saturated, expected);
  EXPECT_GT(*first.cost_db, 1);
  EXPECT_EQ(*first.cost_db,
            *first.sqnr_db - result.layers[1].activation->error.sqnr_db);
  EXPECT_GT(*first.shadow_cost_db, 1);
  EXPECT_EQ(*first.shadow_cost_db,
            *first.shadow_sqnr_db - result.layers[1].shadow->error.sqnr_db);
}

TEST_P(EmulationTest, ALayerThatCannotSaturateCostsNothingItself) {
  const Pair pair = MakePair();
  const ComparisonResult result =
      OrThrow(CompareModels(pair.of_float, pair.quantized, ReaderOf(Inputs()),
                            Emulate(kernels::SaturationMode::kFbgemmAvx2)));
  const PairSaturation& second = *result.layers.at(2).saturation;
  EXPECT_FALSE(second.IsPossible());
  EXPECT_EQ(second.outputs, 3 * 5 * 4);
  EXPECT_EQ(second.saturated, 0);
  EXPECT_EQ(second.shadow_cost_db, 0);
  EXPECT_EQ(second.shadow_sqnr_db, result.layers[2].shadow->error.sqnr_db);
  // What comes in has lost something.
  EXPECT_NE(second.cost_db, 0);
}

TEST_P(EmulationTest, WithoutSaturationFiguresAreThoseOfExactNumerics) {
  const Pair pair = MakePair();
  const std::vector<at::Tensor> inputs = Inputs();
  const ComparisonResult exact =
      OrThrow(CompareModels(pair.of_float, pair.quantized, ReaderOf(inputs),
                            Emulate(kernels::SaturationMode::kExact)));
  const ComparisonResult avx2 =
      OrThrow(CompareModels(pair.of_float, pair.quantized, ReaderOf(inputs),
                            Emulate(kernels::SaturationMode::kFbgemmAvx2)));
  for (size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(exact.layers[i].saturation->cost_db, 0);
    EXPECT_EQ(exact.layers[i].saturation->saturated, 0);
    EXPECT_EQ(avx2.layers[i].saturation->sqnr_db,
              exact.layers[i].activation->error.sqnr_db);
  }
  EXPECT_EQ(avx2.layers[1].saturation->shadow_sqnr_db,
            exact.layers[1].shadow->error.sqnr_db);
}

TEST_P(EmulationTest, LayersAreThoseOfAComparisonWithoutIt) {
  const Pair pair = MakePair();
  const ComparisonResult plain =
      OrThrow(DescribeMatches(pair.of_float, pair.quantized));
  const ComparisonResult emulated =
      OrThrow(CompareModels(pair.of_float, pair.quantized, ReaderOf(Inputs()),
                            Emulate(kernels::SaturationMode::kFbgemmAvx2)));
  ASSERT_EQ(emulated.layers.size(), plain.layers.size());
  for (size_t i = 0; i < plain.layers.size(); ++i) {
    EXPECT_EQ(emulated.layers[i].name, plain.layers[i].name);
    EXPECT_EQ(emulated.layers[i].quantized_side.op,
              plain.layers[i].quantized_side.op);
    EXPECT_EQ(emulated.layers[i].quantized_side.subgraph,
              plain.layers[i].quantized_side.subgraph);
  }
  EXPECT_EQ(emulated.unmatched.size(), plain.unmatched.size());
  EXPECT_EQ(emulated.not_emulated.size(), 0);
}

TEST_P(EmulationTest, WithoutBatchesWeightsTellWhatIsPossible) {
  const Pair pair = MakePair();
  CompareOptions options;
  options.activations = false;
  options.emulate = kernels::SaturationMode::kFbgemmAvx2;
  const ComparisonResult result = OrThrow(CompareModels(
      pair.of_float, pair.quantized, BatchReader::FromBatches({}), options));
  EXPECT_TRUE(result.layers.at(1).saturation->IsPossible());
  EXPECT_FALSE(result.layers.at(2).saturation->IsPossible());
  EXPECT_FALSE(result.layers[1].saturation->outputs.has_value());
  const std::string table = ToTable(result, {});
  EXPECT_THAT(table, HasSubstr("fbgemm-avx2: sums can saturate in 1 layer:\n"
                               "  first (in 12 of 12 channels; pair sums "));
  EXPECT_THAT(table, HasSubstr("cannot: 1 layer\n"));
}

TEST_P(EmulationTest, ProgressCountsBothRuns) {
  const Pair pair = MakePair();
  CompareOptions options = Emulate(kernels::SaturationMode::kFbgemmAvx2);
  std::vector<int64_t> seen;
  options.progress = [&](int64_t done, int64_t total) {
    EXPECT_EQ(total, 6);
    seen.push_back(done);
  };
  OrThrow(CompareModels(pair.of_float, pair.quantized, ReaderOf(Inputs()),
                        options));
  EXPECT_EQ(seen, std::vector<int64_t>({1, 2, 3, 4, 5, 6}));
}

TEST_P(EmulationTest, AModelWithNothingToLowerIsAnError) {
  const Pair pair = MakePair();
  // Its weights are in float: only the quantize op is a quantized one.
  const ModelGraph quantized = ModelOfModule(
      MakeModel({{"quant", Quantize()},
                 {"first", Linear(pair.first)},
                 {"second", Linear(pair.second)},
                 {"dequant", DeQuantize()}},
                {"x = self.dequant.forward(self.quant.forward(x))",
                 "return self.second.forward(self.first.forward(x))"}));
  EXPECT_THAT(
      MessageOf(CompareModels(pair.of_float, quantized, ReaderOf(Inputs()),
                              Emulate(kernels::SaturationMode::kFbgemmAvx2))),
      HasSubstr("no convolution or linear layer to emulate"));
}

TEST_P(EmulationTest, TheTableTellsWhatSaturates) {
  const Pair pair = MakePair();
  const ComparisonResult result =
      OrThrow(CompareModels(pair.of_float, pair.quantized, ReaderOf(Inputs()),
                            Emulate(kernels::SaturationMode::kFbgemmAvx2)));
  const std::string table = ToTable(result, {});
  EXPECT_THAT(table,
              HasSubstr("fbgemm-avx2: sums saturate in 1 layer:\n  first ("));
  EXPECT_THAT(table, HasSubstr(" of 180 outputs; costs "));
  EXPECT_THAT(table, Not(HasSubstr("could, and did not")));
  EXPECT_THAT(table, HasSubstr("  cannot: 1 layer\n"));
}

TEST_P(EmulationTest, TheTableTellsWhatCouldSaturateAndDidNot) {
  const Pair pair = MakePair();
  const ComparisonResult result = OrThrow(CompareModels(
      pair.of_float, pair.quantized, ReaderOf({at::zeros({2, 16})}),
      Emulate(kernels::SaturationMode::kFbgemmAvx2)));
  EXPECT_THAT(ToTable(result, {}),
              HasSubstr("fbgemm-avx2: sums saturate in no layer\n"
                        "  could, and did not: first\n"));
}

}  // namespace
}  // namespace ns
