#include "ns/search/noise_graph.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/graph_walk.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

class NoiseGraphTest : public ::testing::Test {
 protected:
  NoiseGraphTest() {
    at::manual_seed(4);
    x_ = at::randn({2, 3, 6, 6});
  }

  void Create(const std::vector<std::string>& body) {
    model_ = std::make_unique<ModelGraph>(FloatModel(body));
    std::vector<SkippedChoice> skipped;
    space_ = std::make_unique<SearchSpace>(OrThrow(SearchSpace::Create(
        *model_, {}, OrThrow(SearchCandidates(*model_, {}, {}, skipped)))));
    values_ = std::make_unique<CalibratedValues>(
        OrThrow(CalibratedValues::Create(*space_)));
    NS_ASSERT_OK(values_->Calibrate(BatchReader::FromBatches(BatchesOf({x_}))));
    graph_ = std::make_unique<NoiseGraph>(
        OrThrow(NoiseGraph::Create(*space_, *values_)));
  }

  at::Tensor Run(NoiseRun run) {
    const at::AutoGradMode with_gradients(true);
    graph_->Begin(run);
    return graph_->model()
        .module()
        .get_method("forward")({x_})
        .toTensor()
        .detach();
  }

  int CountCalls() const {
    int calls = 0;
    ForEachNode(graph_->model().graph().block(),
                [&](const torch::jit::Node* node) {
                  calls += node->kind() == c10::prim::CallMethod ? 1 : 0;
                });
    return calls;
  }

  // Drawn once the generator has its seed.
  at::Tensor x_;
  std::unique_ptr<ModelGraph> model_;
  std::unique_ptr<SearchSpace> space_;
  std::unique_ptr<CalibratedValues> values_;
  std::unique_ptr<NoiseGraph> graph_;
};

// An edge to the convolution, a rounded input of what it computes as the
// candidate, and the layer itself.
TEST_F(NoiseGraphTest, PutsTapsOnEdgesInputsAndLayers) {
  Create({absl::StrCat("return torch.relu(", ConvOf("x"), ")")});
  EXPECT_EQ(CountCalls(), 3);
  Create({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
          absl::StrCat("return ", ConvOf("y"))});
  EXPECT_EQ(CountCalls(), 6);
}

TEST_F(NoiseGraphTest, ACleanRunComputesTheFloatModel) {
  Create({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
          absl::StrCat("return ", ConvOf("y"), " + y")});
  EXPECT_TRUE(at::equal(Run(NoiseRun::kClean), Output(*model_, x_)));
}

TEST_F(NoiseGraphTest, ANoisyRunComputesWhatAllLayersInInt8Do) {
  const std::vector<std::string> body = {
      absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
      absl::StrCat("return ", ConvOf("y"), " + y")};
  Create(body);
  QuantizedModel quantized = Quantize(body, {x_});
  const at::Tensor y = Output(*model_, x_);
  const at::Tensor noisy = Run(NoiseRun::kNoisy);
  const at::Tensor expected = Output(quantized.model, x_);
  const auto power = [](const at::Tensor& error) {
    return error.square().sum().item<double>();
  };
  EXPECT_GT(power(expected - y), 0);
  // Up to values that are rounded the other way.
  EXPECT_LT(power(noisy - expected), 0.1 * power(expected - y));
}

}  // namespace
}  // namespace ns
