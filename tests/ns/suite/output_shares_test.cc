#include "ns/suite/output_shares.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ns/suite/result_of_matches.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

Batch BatchOf(const at::Tensor& x) {
  Batch batch;
  batch.arguments = {x};
  return batch;
}

// What MeasureOutputShares finds in two models, over `batches`.
ComparisonResult Measured(const torch::jit::Module& a,
                          const torch::jit::Module& b,
                          const std::vector<Batch>& batches) {
  const ModelGraph model_a = OrThrow(ModelGraph::FromModule(a));
  const ModelGraph model_b = OrThrow(ModelGraph::FromModule(b));
  const MatchResult matches = OrThrow(MatchSubgraphs(model_a, model_b));
  ComparisonResult result =
      OrThrow(ResultOfMatches(model_a, model_b, matches, {}));
  result.batches = static_cast<int64_t>(batches.size());
  NS_EXPECT_OK(MeasureOutputShares(model_a, model_b, matches,
                                   BatchReader::FromBatches(batches), result));
  return result;
}

double ShareOf(const ComparisonResult& result, const std::string& name) {
  const auto found = absl::c_find_if(
      result.layers,
      [&](const LayerComparison& layer) { return layer.name == name; });
  return found == result.layers.end() ? NAN : found->output_share.value_or(NAN);
}

// Two linear layers, the first followed by `activation`.
torch::jit::Module TwoLayers(const at::Tensor& first, const at::Tensor& second,
                             const std::string& activation) {
  return MakeModel({{"first", Linear(first)}, {"second", Linear(second)}},
                   {absl::StrCat("x = ", activation, "(self.first.forward(x))"),
                    "return self.second.forward(x)"});
}

class OutputSharesTest : public testing::Test {
 protected:
  const at::Tensor first_ = at::randn({6, 6});
  const at::Tensor second_ = at::randn({5, 6});
  const at::Tensor x_ = at::randn({64, 6});
};

TEST_F(OutputSharesTest, TheOnlyErrorIsAllOfIt) {
  const auto result =
      Measured(TwoLayers(first_, second_, "torch.neg"),
               TwoLayers(first_ * 1.1, second_, "torch.neg"), {BatchOf(x_)});
  EXPECT_NEAR(ShareOf(result, "first"), 1, 1e-4);
  EXPECT_NEAR(ShareOf(result, "second"), 0, 1e-4);
}

TEST_F(OutputSharesTest, SharesOfLinearLayersAddUp) {
  const at::Tensor first = first_ + 0.1 * at::randn({6, 6});
  const at::Tensor second = second_ + 0.2 * at::randn({5, 6});
  const auto result =
      Measured(TwoLayers(first_, second_, "torch.neg"),
               TwoLayers(first, second, "torch.neg"), {BatchOf(x_)});
  // By hand.
  const at::Tensor of_first = -x_.matmul((first - first_).t());
  const at::Tensor of_second =
      -x_.matmul(first.t()).matmul((second - second_).t());
  const at::Tensor error = -x_.matmul(first.t()).matmul(second.t()) +
                           x_.matmul(first_.t()).matmul(second_.t());
  const at::Tensor power = error.square().sum();
  EXPECT_NEAR(
      ShareOf(result, "first"),
      (error * of_first.matmul(second_.t())).sum().div(power).item<double>(),
      1e-4);
  EXPECT_NEAR(ShareOf(result, "second"),
              (error * of_second).sum().div(power).item<double>(), 1e-4);
  EXPECT_NEAR(ShareOf(result, "first") + ShareOf(result, "second"), 1, 1e-4);
}

TEST_F(OutputSharesTest, WhatASaturatedActivationTakesBackHasNoShare) {
  // All that the sigmoid sees is far out but for the error of `second`.
  const at::Tensor first = at::full({6, 6}, 10.0);
  const at::Tensor x = at::rand({64, 6}) + 1;
  const auto result = Measured(
      TwoLayers(first, second_, "torch.sigmoid"),
      TwoLayers(first * 0.5, second_ * 1.01, "torch.sigmoid"), {BatchOf(x)});
  EXPECT_NEAR(ShareOf(result, "first"), 0, 1e-4);
  EXPECT_NEAR(ShareOf(result, "second"), 1, 1e-3);
}

TEST_F(OutputSharesTest, EqualModelsHaveNoShares) {
  const auto model = TwoLayers(first_, second_, "torch.relu");
  const auto result = Measured(model, model, {BatchOf(x_)});
  EXPECT_FALSE(result.layers[0].output_share.has_value());
}

TEST_F(OutputSharesTest, OutputsCountRelativeToTheirPower) {
  // Both outputs are off by a tenth; one is a thousand times as large.
  const auto model = [&](double small, double large) {
    return MakeModel({{"small", Linear(first_ * small)},
                      {"large", Linear(first_ * 1000 * large)}},
                     {"return (self.small.forward(x), self.large.forward(x))"});
  };
  const auto result =
      Measured(model(1, 1), model(1.1, 1.1), {BatchOf(x_), BatchOf(x_ * 2)});
  EXPECT_NEAR(ShareOf(result, "small"), 0.5, 1e-4);
  EXPECT_NEAR(ShareOf(result, "large"), 0.5, 1e-4);
}

TEST_F(OutputSharesTest, SmallOutputsTakeMoreBatches) {
  // Only the second batch shows the error.
  const at::Tensor other = first_.clone();
  other.select(1, 0) += 1;
  at::Tensor without = x_.clone();
  without.select(1, 0).zero_();
  const auto result = Measured(TwoLayers(first_, second_, "torch.neg"),
                               TwoLayers(other, second_, "torch.neg"),
                               {BatchOf(without), BatchOf(x_)});
  EXPECT_NEAR(ShareOf(result, "first"), 1, 1e-4);
}

// The first sample alone has no error.
TEST_F(OutputSharesTest, OfLargeBatchesTheFirstSamplesRun) {
  at::Tensor x = x_.clone();
  x.slice(0, 1).select(1, 0) += 1;
  x[0][0] = 0;
  at::Tensor other = first_.clone();
  other.select(1, 0) += 1;
  const auto share_with = [&](int64_t elements) {
    const ModelGraph a = OrThrow(
        ModelGraph::FromModule(TwoLayers(first_, second_, "torch.neg")));
    const ModelGraph b =
        OrThrow(ModelGraph::FromModule(TwoLayers(other, second_, "torch.neg")));
    const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
    ComparisonResult result = OrThrow(ResultOfMatches(a, b, matches, {}));
    result.batches = 1;
    result.layers[0].activation.emplace();
    result.layers[0].activation->elements = elements;
    NS_EXPECT_OK(MeasureOutputShares(
        a, b, matches, BatchReader::FromBatches({BatchOf(x)}), result));
    return result.layers[0].output_share;
  };
  EXPECT_TRUE(share_with(1'000'000).has_value());
  EXPECT_FALSE(share_with(64LL * 16'000'000).has_value());
  // A single sample of the 64 is too large.
  EXPECT_FALSE(share_with(64LL * 200'000'000).has_value());
}

TEST_F(OutputSharesTest, TheModelsStayAsTheyWere) {
  const ModelGraph a =
      OrThrow(ModelGraph::FromModule(TwoLayers(first_, second_, "torch.relu")));
  const ModelGraph b = OrThrow(
      ModelGraph::FromModule(TwoLayers(first_ * 1.1, second_, "torch.relu")));
  const std::string before = a.graph().toString() + b.graph().toString();
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  ComparisonResult result = OrThrow(ResultOfMatches(a, b, matches, {}));
  result.batches = 1;
  NS_EXPECT_OK(MeasureOutputShares(
      a, b, matches, BatchReader::FromBatches({BatchOf(x_)}), result));
  EXPECT_EQ(a.graph().toString() + b.graph().toString(), before);
  EXPECT_FALSE(a.module().hasattr("ns_attribution_tap_0"));
}

TEST_F(OutputSharesTest, ABatchThatDoesNotFitIsAnErrorThatNamesIt) {
  const ModelGraph a =
      OrThrow(ModelGraph::FromModule(TwoLayers(first_, second_, "torch.relu")));
  const MatchResult matches = OrThrow(MatchSubgraphs(a, a));
  ComparisonResult result = OrThrow(ResultOfMatches(a, a, matches, {}));
  result.batches = 1;
  const absl::Status status = MeasureOutputShares(
      a, a, matches, BatchReader::FromBatches({BatchOf(at::ones({2, 3}))}),
      result);
  EXPECT_FALSE(status.ok());
  EXPECT_FALSE(result.layers[0].output_share.has_value());
}

// A network of linear layers with activations and sums, by its weights.
class RandomNetwork {
 public:
  explicit RandomNetwork(std::mt19937& random) {
    static constexpr const char* kActivations[] = {
        "torch.relu", "torch.sigmoid", "torch.tanh", "torch.hardswish", ""};
    const auto below = [&](size_t count) {
      return std::uniform_int_distribution<size_t>(0, count - 1)(random);
    };
    size_ = static_cast<int64_t>(4 + below(13));
    const size_t depth = 3 + below(6);
    body_.push_back("y0 = x");
    for (size_t i = 0; i < depth; ++i) {
      const std::string call = absl::StrCat("self.fc", i, ".forward(y", i, ")");
      const std::string activation = kActivations[below(5)];
      std::string line =
          activation.empty() ? call : absl::StrCat(activation, "(", call, ")");
      if (below(4) == 0) {
        line = absl::StrCat("torch.add(y", i, ", ", line, ")");
      }
      body_.push_back(absl::StrCat("y", i + 1, " = ", line));
      weights_.push_back(at::randn({size_, size_}) /
                         std::sqrt(static_cast<double>(size_)));
      // Rounded to steps of 2 to 12 % of the largest weight.
      const double step = weights_[i].abs().max().item<double>() *
                          (0.02 + 0.01 * static_cast<double>(below(11)));
      rounded_.push_back((weights_[i] / step).round() * step);
    }
    body_.push_back(absl::StrCat("return y", depth));
  }

  size_t depth() const { return weights_.size(); }
  at::Tensor Input() const { return at::randn({128, size_}); }

  // The model with the weights that `is_rounded` says rounded.
  template <typename IsRounded>
  torch::jit::Module Model(const IsRounded& is_rounded) const {
    Submodules layers;
    for (size_t i = 0; i < depth(); ++i) {
      layers.emplace_back(absl::StrCat("fc", i),
                          Linear(is_rounded(i) ? rounded_[i] : weights_[i]));
    }
    return MakeModel(layers, body_);
  }

 private:
  int64_t size_ = 0;
  std::vector<std::string> body_;
  std::vector<at::Tensor> weights_;
  std::vector<at::Tensor> rounded_;
};

// Measured: the error of the outputs with one layer in float, all others
// rounded.
TEST(OutputSharesOfRandomNetworksTest, TheLargestShareIsTheLargestGain) {
  constexpr int kNetworks = 200;
  std::mt19937 random(1);
  int right = 0;
  int explained = 0;
  for (int n = 0; n < kNetworks; ++n) {
    const RandomNetwork network(random);
    const at::Tensor x = network.Input();
    torch::jit::Module in_float = network.Model([](size_t) { return false; });
    torch::jit::Module rounded = network.Model([](size_t) { return true; });
    const at::Tensor y = in_float.forward({x}).toTensor();
    const auto error_of = [&](torch::jit::Module model) {
      return (model.forward({x}).toTensor() - y).square().sum().item<double>();
    };
    const double error = error_of(rounded);
    const ComparisonResult result = Measured(in_float, rounded, {BatchOf(x)});
    std::vector<double> gains;
    std::vector<double> shares;
    for (size_t i = 0; i < network.depth(); ++i) {
      gains.push_back(
          10 * std::log10(error / error_of(network.Model([&](size_t layer) {
                            return layer != i;
                          }))));
      shares.push_back(ShareOf(result, absl::StrCat("fc", i)));
    }
    const size_t largest = absl::c_max_element(shares) - shares.begin();
    right += gains[largest] >= *absl::c_max_element(gains) - 1 ? 1 : 0;
    double sum = 0;
    for (const LayerComparison& layer : result.layers) {
      sum += layer.output_share.value_or(0);
    }
    explained += sum > 0.5 && sum < 2 ? 1 : 0;
  }
  EXPECT_GE(right, kNetworks * 95 / 100);
  EXPECT_GE(explained, kNetworks * 90 / 100);
  RecordProperty("right", right);
  RecordProperty("explained", explained);
}

}  // namespace
}  // namespace ns
