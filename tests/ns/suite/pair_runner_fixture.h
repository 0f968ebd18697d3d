// Two small models and their PairRunner, for tests.
#ifndef TESTS_NS_SUITE_PAIR_RUNNER_FIXTURE_H_
#define TESTS_NS_SUITE_PAIR_RUNNER_FIXTURE_H_

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/pair_runner.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {

inline ModelGraph ModelOfSource(const std::string& source) {
  return OrThrow(ModelGraph::FromModule(MakeModule("Model", source)));
}

inline Batch BatchOf(std::vector<c10::IValue> arguments) {
  Batch batch;
  batch.arguments = std::move(arguments);
  return batch;
}

// Two models and their runner.
class Running {
 public:
  Running(ModelGraph model_a, ModelGraph model_b,
          const CompareOptions& options = {})
      : a(std::move(model_a)),
        b(std::move(model_b)),
        matches(OrThrow(MatchSubgraphs(a, b))),
        runner(OrThrow(PairRunner::Create(a, b, matches, options))) {}
  Running(const Running&) = delete;

  size_t Index(const std::string& name) const {
    for (size_t i = 0; i < matches.matches.size(); ++i) {
      if (matches.matches[i].name == name) {
        return i;
      }
    }
    throw std::runtime_error("no match " + name);
  }
  ActivationComparison Activation(const std::string& name) const {
    return runner.FiguresOf(Index(name)).activation.value();
  }
  ActivationComparison Shadow(const std::string& name) const {
    return runner.FiguresOf(Index(name)).shadow.value();
  }
  ErrorFigures Inherited(const std::string& name) const {
    return runner.FiguresOf(Index(name)).inherited.value();
  }

  ModelGraph a;
  ModelGraph b;
  MatchResult matches;
  PairRunner runner;
};

inline double Sum(const at::Tensor& x) { return x.sum().item<double>(); }

// By the formulas of ns/result/value_figures.h, in float64.
inline ErrorFigures FiguresBetween(const at::Tensor& x, const at::Tensor& y) {
  const at::Tensor a = x.to(at::kDouble);
  const at::Tensor b = (y.is_quantized() ? y.dequantize() : y).to(at::kDouble);
  const at::Tensor e = a - b;
  ErrorFigures figures;
  figures.sqnr_db = 10 * std::log10(Sum(a * a) / Sum(e * e));
  figures.normalized_l2 = std::sqrt(Sum(e * e) / Sum(a * a));
  figures.cosine = Sum(a * b) / std::sqrt(Sum(a * a) * Sum(b * b));
  figures.max_abs_error = e.abs().max().item<double>();
  return figures;
}

inline void ExpectFigures(const ErrorFigures& actual,
                          const ErrorFigures& expected) {
  EXPECT_NEAR(actual.sqnr_db, expected.sqnr_db, 1e-5);
  EXPECT_NEAR(actual.normalized_l2, expected.normalized_l2, 1e-6);
  EXPECT_NEAR(actual.cosine, expected.cosine, 1e-6);
  EXPECT_NEAR(actual.max_abs_error, expected.max_abs_error, 1e-6);
}

// Quantize, convolution with ReLU, mean, linear: what the models of the fixture
// compute, op by op.
class PairRunnerTest : public testing::Test {
 protected:
  PairRunnerTest() {
    at::manual_seed(11);
    conv_ = at::randn({4, 3, 3, 3});
    conv_[2] *= 0.01;  // a channel that int8 does not represent
    fc_ = at::randn({5, 4});
    packed_ = CallOp(
        "quantized::conv2d_prepack",
        {QuantizeWeight(conv_), c10::IValue(), std::vector<int64_t>{1, 1},
         std::vector<int64_t>{0, 0}, std::vector<int64_t>{1, 1}, int64_t{1}});
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

  static CompareOptions All(bool exact) {
    CompareOptions options;
    options.shadows = true;
    options.exact = exact;
    options.worst_channels = 3;
    return options;
  }

  at::Tensor QuantizedInput(const at::Tensor& x) const {
    return at::quantize_per_tensor(x, 0.05, 64, at::kQUInt8);
  }
  at::Tensor FloatConv(const at::Tensor& x) const {
    return at::conv2d(x, conv_).relu();
  }
  at::Tensor QuantizedConv(const at::Tensor& x) const {
    return CallOp("quantized::conv2d_relu",
                  {QuantizedInput(x), packed_, 0.05, int64_t{64}})
        .toTensor();
  }

  at::Tensor conv_;
  at::Tensor fc_;
  c10::IValue packed_;
};

inline constexpr char kLoop[] =
    "def forward(self, x: Tensor, n: int) -> Tensor:\n"
    "    for i in range(n):\n"
    "        x = torch.sigmoid(x * SCALE)\n"
    "    return x\n";

// `source` with a number for SCALE.
inline std::string WithScale(std::string source, const std::string& scale) {
  return source.replace(source.find("SCALE"), 5, scale);
}

}  // namespace ns

#endif  // TESTS_NS_SUITE_PAIR_RUNNER_FIXTURE_H_
