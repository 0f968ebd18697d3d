#include "ns/suite/try_changes.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
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
using ::testing::SizeIs;

constexpr int kSize = 8;

// Models of `layers` linear layers; the quantized ones have output scale 0.05
// and zero point 64 throughout.
class TryChangesTest : public EngineTest {
 protected:
  TryChangesTest() {
    at::manual_seed(11);
    for (int i = 0; i < 12; ++i) {
      weights_.push_back(at::randn({kSize, kSize}) / std::sqrt(kSize));
    }
    std::vector<Batch> batches;
    for (int i = 0; i < 3; ++i) {
      Batch& batch = batches.emplace_back();
      batch.arguments = {at::randn({16, kSize})};
    }
    batches_ = BatchReader::FromBatches(std::move(batches));
  }

  // Compares `count` layers, with `quantized` as the weight of the first.
  ComparisonResult Compare(int count, const at::Tensor& quantized,
                           CompareOptions options = {}) const {
    Submodules of_float;
    Submodules of_quantized = {{"quant", Quantize()}};
    std::vector<std::string> float_lines;
    std::vector<std::string> quantized_lines = {"x = self.quant.forward(x)"};
    for (int i = 0; i < count; ++i) {
      const std::string name = absl::StrCat("fc", i);
      of_float.emplace_back(name, Linear(weights_[i]));
      of_quantized.emplace_back(
          name, QuantizedLinear(i == 0 ? quantized : weights_[i], false));
      const std::string line = absl::StrCat("x = self.", name, ".forward(x)");
      float_lines.push_back(line);
      quantized_lines.push_back(line);
    }
    of_quantized.emplace_back("dequant", DeQuantize());
    float_lines.push_back("return x");
    quantized_lines.push_back("return self.dequant.forward(x)");
    options.shadows = true;
    return OrThrow(CompareModels(
        OrThrow(ModelGraph::FromModule(MakeModel(of_float, float_lines))),
        OrThrow(
            ModelGraph::FromModule(MakeModel(of_quantized, quantized_lines))),
        batches_, options));
  }

  static CompareOptions Trying() {
    CompareOptions options;
    options.try_changes = true;
    return options;
  }

  static const LayerComparison& Layer(const ComparisonResult& result,
                                      const std::string& name) {
    for (const LayerComparison& layer : result.layers) {
      if (layer.name == name) {
        return layer;
      }
    }
    throw std::invalid_argument(name);
  }

  std::vector<at::Tensor> weights_;
  BatchReader batches_ = BatchReader::FromBatches({});
};

TEST_P(TryChangesTest, AWeightIsQuantizedByChannel) {
  // One channel makes the scale of all others fifty times too large.
  weights_[0][2] *= 50;
  const ComparisonResult result = Compare(1, weights_[0], Trying());
  const LayerComparison& layer = Layer(result, "fc0");
  ASSERT_FALSE(layer.tried_changes.empty());
  EXPECT_EQ(layer.tried_changes[0].kind, ChangeKind::kWeight);
}

TEST_P(TryChangesTest, AWeightThatIsAnotherOneGains) {
  const ComparisonResult result =
      Compare(1, at::randn({kSize, kSize}), Trying());
  const LayerComparison& layer = Layer(result, "fc0");
  const TriedChange change = layer.tried_changes.at(0);
  EXPECT_EQ(change.kind, ChangeKind::kWeight);
  EXPECT_GT(change.sqnr_db, layer.shadow->error.sqnr_db + 20);
}

// The shadow's own figures are those of a comparison without changes.
TEST_P(TryChangesTest, TheComparisonIsTheSame) {
  const ComparisonResult plain = Compare(3, weights_[0]);
  const ComparisonResult result = Compare(3, weights_[0], Trying());
  EXPECT_THAT(result.warnings, IsEmpty());
  ASSERT_EQ(plain.layers.size(), result.layers.size());
  for (size_t i = 0; i < plain.layers.size(); ++i) {
    EXPECT_THAT(plain.layers[i].tried_changes, IsEmpty());
    EXPECT_EQ(plain.layers[i].shadow->error.sqnr_db,
              result.layers[i].shadow->error.sqnr_db);
    EXPECT_EQ(plain.layers[i].activation->error.sqnr_db,
              result.layers[i].activation->error.sqnr_db);
  }
}

// A range that is far too wide is the output's, and what the observer finds for
// it is measured.
TEST_P(TryChangesTest, ARangeThatIsTooWideGains) {
  weights_[0] /= 50;
  const ComparisonResult result = Compare(1, weights_[0], Trying());
  const LayerComparison& layer = Layer(result, "fc0");
  ASSERT_FALSE(layer.tried_changes.empty());
  const TriedChange& change = layer.tried_changes.back();
  EXPECT_EQ(change.kind, ChangeKind::kRange);
  EXPECT_GT(change.sqnr_db, layer.shadow->error.sqnr_db + 15);
  EXPECT_LT(change.qparams->scale, 0.05 / 10);
}

TEST_P(TryChangesTest, OnlyTheWorstLayersAreTried) {
  const ComparisonResult result = Compare(12, weights_[0], Trying());
  ASSERT_THAT(result.layers, SizeIs(13));
  int64_t tried = 0;
  for (const LayerComparison& layer : result.layers) {
    tried += layer.tried_changes.empty() ? 0 : 1;
  }
  EXPECT_GT(tried, 0);
  EXPECT_LE(tried, kMostTriedLayers);
}

TEST_P(TryChangesTest, EachBatchOfAllPassesIsProgress) {
  CompareOptions options = Trying();
  std::vector<std::pair<int64_t, int64_t>> seen;
  options.progress = [&](int64_t done, int64_t total) {
    seen.emplace_back(done, total);
  };
  Compare(1, weights_[0], options);
  ASSERT_THAT(seen, SizeIs(12));
  for (size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i], std::pair(static_cast<int64_t>(i) + 1, int64_t{12}));
  }
}

NS_INSTANTIATE_ON_ENGINES(TryChangesTest);

}  // namespace
}  // namespace ns
