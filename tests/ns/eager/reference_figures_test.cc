// Our figures held to those of PyTorch's suite.
#include <ATen/Context.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batches.h"
#include "ns/eager/compare_weights.h"
#include "ns/eager/eager_suite.h"
#include "ns/eager/logger_dict.h"
#include "passes/runtime/statistics/pair_statistics.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::SizeIs;

// SQNR by kind ("stubs", "outputs", "weights") and key.
using Answers = std::map<std::string, std::map<std::string, double>>;

Answers ReadAnswers(const std::string& path) {
  Answers answers;
  std::ifstream file(path);
  std::string kind;
  std::string key;
  std::string value;
  while (file >> kind >> key >> value) {
    answers[kind][key] = std::strtod(value.c_str(), nullptr);
  }
  return answers;
}

double Sqnr(const LoggerStats& stats) {
  const std::vector<at::Tensor>& x = stats.at(kFloatValues);
  const std::vector<at::Tensor>& y = stats.at(kQuantizedValues);
  EXPECT_EQ(x.size(), y.size());
  PairStatistics pooled;
  for (size_t i = 0; i < x.size(); ++i) {
    pooled.Merge(ComparePair(x[i], y[i]));
  }
  return pooled.SqnrDb();
}

class ReferenceFiguresTest : public testing::TestWithParam<std::string> {
 protected:
  ReferenceFiguresTest() : before_(at::globalContext().qEngine()) {
    at::globalContext().setQEngine(
        absl::StartsWith(GetParam(), "onednn") ? at::kONEDNN : at::kQNNPACK);
    const std::string stem = "tests/models/eager_cases/" + GetParam();
    float_ = OrThrow(LoadModule(stem + "_float.pt"));
    quantized_ = OrThrow(LoadModule(stem + "_quantized.pt"));
    batches_ = OrThrow(LoadBatches(stem + "_inputs.pt"));
    answers_ = ReadAnswers(stem + "_answers.txt");
  }
  ~ReferenceFiguresTest() override { at::globalContext().setQEngine(before_); }

  // Every answer of `kind` is in `ours`, within 0.1 dB.
  void ExpectAnswers(const std::string& kind, const LoggerDict& ours) {
    for (const auto& [key, reference] : answers_[kind]) {
      const LoggerStats* stats = FindStats(ours, key);
      ASSERT_NE(stats, nullptr) << kind << " of " << key;
      const double sqnr = Sqnr(*stats);
      if (std::isinf(reference)) {
        EXPECT_EQ(sqnr, reference) << kind << " of " << key;
      } else {
        EXPECT_NEAR(sqnr, reference, 0.1) << kind << " of " << key;
      }
    }
  }

  const at::QEngine before_;
  torch::jit::Module float_;
  torch::jit::Module quantized_;
  std::vector<Batch> batches_;
  Answers answers_;
};

TEST_P(ReferenceFiguresTest, Stubs) {
  const LoggerDict stubs =
      OrThrow(CompareModelStub(float_, quantized_,
                               {"Conv2d", "ConvReLU2d", "ConvTranspose2d",
                                "Linear", "LSTM", "Block", "FloatFunctional"},
                               batches_));
  ASSERT_FALSE(answers_["stubs"].empty());
  EXPECT_THAT(stubs, SizeIs(answers_["stubs"].size()));
  ExpectAnswers("stubs", stubs);
}

TEST_P(ReferenceFiguresTest, Outputs) {
  const LoggerDict outputs =
      OrThrow(CompareModelOutputs(float_, quantized_, batches_));
  ASSERT_FALSE(answers_["outputs"].empty());
  ExpectAnswers("outputs", outputs);
}

TEST_P(ReferenceFiguresTest, Weights) {
  const LoggerDict weights =
      OrThrow(CompareWeights(float_, quantized_, {/*compat=*/true}));
  EXPECT_THAT(weights, SizeIs(answers_["weights"].size()));
  ExpectAnswers("weights", weights);
}

std::vector<std::string> Cases() {
  std::vector<std::string> cases;
  for (const char* engine : {"onednn_", "qnnpack_"}) {
    for (const char* name :
         {"conv", "conv_transpose", "conv_bn_relu", "linear", "two_linears",
          "submodule", "functionals", "linear_dynamic", "lstm_dynamic"}) {
      cases.push_back(std::string(engine) + name);
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(, ReferenceFiguresTest, testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param; });

// The model of PyTorch's tutorial, whose residual blocks are shadowed.
class TutorialTest : public ReferenceFiguresTest {};

TEST_P(TutorialTest, BlocksHaveTheEightStubs) {
  const LoggerDict stubs = OrThrow(CompareModelStub(
      float_, quantized_, {"QuantizableBasicBlock"}, batches_));
  std::vector<std::string> keys;
  for (const auto& [key, stats] : stubs) {
    keys.push_back(key);
  }
  EXPECT_THAT(keys, testing::ElementsAre("layer1.0.stats", "layer1.1.stats",
                                         "layer2.0.stats", "layer2.1.stats",
                                         "layer3.0.stats", "layer3.1.stats",
                                         "layer4.0.stats", "layer4.1.stats"));
  ASSERT_THAT(answers_["stubs"], SizeIs(8));
  ExpectAnswers("stubs", stubs);
}

TEST_P(TutorialTest, ShadowsLeaveOutputBitIdentical) {
  ModelGraph plain = OrThrow(ModelGraph::FromModule(quantized_));
  ModelGraph prepared = OrThrow(
      PrepareModelWithStubs(float_, quantized_, {"QuantizableBasicBlock"}));
  for (const Batch& batch : batches_) {
    EXPECT_TRUE(OrThrow(prepared.Run(batch.arguments))
                    .toTensor()
                    .equal(OrThrow(plain.Run(batch.arguments)).toTensor()));
  }
}

TEST_P(TutorialTest, Outputs) {
  ASSERT_FALSE(answers_["outputs"].empty());
  ExpectAnswers("outputs",
                OrThrow(CompareModelOutputs(float_, quantized_, batches_)));
}

TEST_P(TutorialTest, Weights) {
  ASSERT_FALSE(answers_["weights"].empty());
  ExpectAnswers("weights", OrThrow(CompareWeights(float_, quantized_)));
}

INSTANTIATE_TEST_SUITE_P(, TutorialTest, testing::Values("onednn_resnet18"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ns
