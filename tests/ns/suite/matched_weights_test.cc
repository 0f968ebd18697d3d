#include "ns/suite/matched_weights.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/suite/result_of_matches.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class MatchedWeightsTest : public testing::Test {
 protected:
  // Compares a float linear layer of `x` with a quantized one of `y`.
  absl::Status Compare(const at::Tensor& x, const at::Tensor& y,
                       const MatchedWeightsOptions& options = {}) {
    const ModelGraph a = OrThrow(ModelGraph::FromModule(
        MakeModel({{"fc", Linear(x)}}, {"return self.fc.forward(x)"})));
    const ModelGraph b = OrThrow(ModelGraph::FromModule(
        MakeModel({{"quant", Quantize()}, {"fc", QuantizedLinear(y, false)}},
                  {"return self.fc.forward(self.quant.forward(x))"})));
    const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
    result_ = OrThrow(ResultOfMatches(a, b, matches, {}));
    return CompareMatchedWeights(a, b, matches, options, result_);
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const LayerComparison& layer : result_.layers) {
      names.push_back(layer.name);
    }
    return names;
  }

  const at::Tensor x_ = at::randn({4, 6});
  ComparisonResult result_;
};

TEST_F(MatchedWeightsTest, EachLayerGetsThoseOfItsMatch) {
  NS_ASSERT_OK(Compare(x_, x_));
  EXPECT_THAT(Names(), ElementsAre("quant", "fc"));
  EXPECT_THAT(result_.layers[0].weights, IsEmpty());
  ASSERT_THAT(result_.layers[1].weights, SizeIs(1));
  const WeightComparison& weight = result_.layers[1].weights[0];
  const at::Tensor y = QuantizeWeight(x_).dequantize();
  const double sqnr_db =
      10 * std::log10(x_.square().sum().item<double>() /
                      (x_ - y).square().sum().item<double>());
  EXPECT_NEAR(weight.error.sqnr_db, sqnr_db, 1e-3);
  EXPECT_FALSE(weight.histograms.has_value());
  MatchedWeightsOptions options;
  options.histograms = true;
  NS_ASSERT_OK(Compare(x_, x_, options));
  EXPECT_TRUE(result_.layers[1].weights[0].histograms.has_value());
}

TEST_F(MatchedWeightsTest, AFunctionOfTheUserThatFailsNamesTheLayer) {
  MatchedWeightsOptions options;
  options.op_to_weight_extraction_fn["aten::linear"] =
      [](const torch::jit::Node&, const ModelGraph&) {
        return absl::InvalidArgumentError("no weights today");
      };
  const absl::Status status = Compare(x_, x_, options);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("fc"), HasSubstr("no weights today")));
}

// As in a damaged file: LibTorch reads the zero point, and refuses it later.
TEST_F(MatchedWeightsTest, WeightsThatCannotBeReadNameTheFile) {
  const std::string path = TemporaryPath("q.pt");
  MakeModel({{"quant", Quantize()}, {"fc", QuantizedLinear(x_, false)}},
            {"return self.fc.forward(self.quant.forward(x))"})
      .save(path);
  const ModelGraph a = OrThrow(ModelGraph::FromModule(
      MakeModel({{"fc", Linear(x_)}}, {"return self.fc.forward(x)"})));
  const ModelGraph b = OrThrow(ModelGraph::FromFile(path));
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  ComparisonResult result = OrThrow(ResultOfMatches(a, b, matches, {}));
  MatchedWeightsOptions options;
  options.op_to_weight_extraction_fn["quantized::linear"] =
      [](const torch::jit::Node&,
         const ModelGraph&) -> absl::StatusOr<std::vector<NamedTensor>> {
    return std::vector<NamedTensor>{
        {"weight", at::_make_per_channel_quantized_tensor(
                       at::ones({4, 6}, at::kChar), at::ones({4}, at::kDouble),
                       at::full({4}, int64_t{1} << 54), 0)}};
  };
  const absl::Status status =
      CompareMatchedWeights(a, b, matches, options, result);
  EXPECT_THAT(std::string(status.message()),
              AllOf(StartsWith(path), HasSubstr("weights of fc")));
}

}  // namespace
}  // namespace ns
