#include "ns/suite/measure_float_gains.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/suite/compare_models.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;

constexpr int kSize = 8;
constexpr size_t kNone = 99;

class MeasureFloatGainsTest : public EngineTest {
 protected:
  MeasureFloatGainsTest() {
    at::manual_seed(11);
    std::vector<Batch> batches(3);
    for (Batch& batch : batches) {
      batch.arguments = {at::randn({16, kSize})};
    }
    batches_ = BatchReader::FromBatches(std::move(batches));
  }

  // A chain of `count` linear layers in int8, but for the one `in_float`.
  ModelGraph Quantized(size_t count, size_t in_float = kNone) const {
    Submodules modules = {{"quant", Quantize()}, {"dequant", DeQuantize()}};
    std::vector<std::string> lines = {"x = self.quant.forward(x)"};
    for (size_t i = 0; i < count; ++i) {
      const std::string name = absl::StrCat("fc", i);
      const std::string line = absl::StrCat("x = self.", name, ".forward(x)");
      if (i == in_float) {
        modules.emplace_back(name, Linear(Weight(i)));
        lines.insert(lines.end(), {"x = self.dequant.forward(x)", line,
                                   "x = self.quant.forward(x)"});
      } else {
        modules.emplace_back(name, QuantizedLinear(CoarseWeight(i), false));
        lines.push_back(line);
      }
    }
    lines.push_back("return self.dequant.forward(x)");
    return OrThrow(ModelGraph::FromModule(MakeModel(modules, lines)));
  }

  ModelGraph Float(size_t count) const {
    Submodules modules;
    std::vector<std::string> lines;
    for (size_t i = 0; i < count; ++i) {
      const std::string name = absl::StrCat("fc", i);
      modules.emplace_back(name, Linear(Weight(i)));
      lines.push_back(absl::StrCat("x = self.", name, ".forward(x)"));
    }
    lines.push_back("return x");
    return OrThrow(ModelGraph::FromModule(MakeModel(modules, lines)));
  }

  ComparisonResult Compare(size_t count, const ModelGraph& quantized,
                           bool suggest = true) const {
    CompareOptions options;
    options.shadows = true;
    options.try_changes = suggest;
    return OrThrow(CompareModels(Float(count), quantized, batches_, options));
  }

  static at::Tensor Weight(size_t index) {
    at::manual_seed(static_cast<uint64_t>(index));
    return at::randn({kSize, kSize}) / std::sqrt(kSize);
  }

  // The second layer has a large error in its weight.
  static at::Tensor CoarseWeight(size_t index) {
    const at::Tensor weight = Weight(index);
    return index == 1 ? weight + 0.1 * at::randn({kSize, kSize}) : weight;
  }

  BatchReader batches_ = BatchReader::FromBatches({});
};

TEST_P(MeasureFloatGainsTest, IsWhatAModelWithThatLayerInFloatHas) {
  const ComparisonResult result = Compare(4, Quantized(4));
  EXPECT_THAT(result.warnings, IsEmpty());
  bool has_coarse = false;
  for (const LayerComparison& layer : result.layers) {
    if (!layer.in_float) {
      continue;
    }
    ASSERT_EQ(layer.name.substr(0, 2), "fc");
    const size_t index = layer.name[2] - '0';
    EXPECT_EQ(layer.in_float->output, "output");
    EXPECT_EQ(layer.in_float->before_db,
              result.model_outputs[0].figures.error.sqnr_db);
    if (index == 3) {
      continue;  // Its output is not rounded, as there is no layer after it.
    }
    const ComparisonResult with_float =
        Compare(4, Quantized(4, index), /*suggest=*/false);
    EXPECT_NEAR(layer.in_float->after_db,
                with_float.model_outputs[0].figures.error.sqnr_db, 1e-6)
        << layer.name;
    if (index == 1) {
      has_coarse = true;
      EXPECT_GT(layer.in_float->GainDb(), 1);
    }
  }
  EXPECT_TRUE(has_coarse);
}

TEST_P(MeasureFloatGainsTest, FewLayersAreMeasured) {
  int64_t measured = 0;
  for (const LayerComparison& layer : Compare(8, Quantized(8)).layers) {
    measured += layer.in_float.has_value();
  }
  EXPECT_EQ(measured, kMostFloatGains);
}

TEST_P(MeasureFloatGainsTest, NoneIsMeasuredUnlessItIsAskedFor) {
  for (const LayerComparison& layer :
       Compare(2, Quantized(2), /*suggest=*/false).layers) {
    EXPECT_FALSE(layer.in_float.has_value());
  }
}

NS_INSTANTIATE_ON_ENGINES(MeasureFloatGainsTest);

}  // namespace
}  // namespace ns
