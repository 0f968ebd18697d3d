#include "ns/training/trainable_graph.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/quantization/observe/prepared_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// Two layers with the same parameters.
const std::vector<std::string> kNet = {
    absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
    absl::StrCat("return ", ConvOf("y"))};

at::Tensor OutputOf(const TrainableGraph& graph, const at::Tensor& x) {
  return graph.module().get_method(graph.method())({x}).toTensor();
}

class TrainableGraphTest : public ::testing::Test {
 protected:
  // A net, prepared and calibrated on `x_`.
  ModelGraph Calibrated(const QuantizeOptions& options = {}) const {
    ModelGraph prepared = OrThrow(PrepareModel(FloatModel(kNet), options));
    NS_EXPECT_OK(Calibrate(prepared, BatchesOf({x_}), nullptr));
    return prepared;
  }

  // Subtracts the gradient from the parameters.
  static void Step(const TrainableGraph& graph, const at::Tensor& x) {
    OutputOf(graph, x).square().sum().backward();
    const at::NoGradGuard no_grad;
    for (const at::Tensor& parameter : graph.module().parameters()) {
      at::Tensor(parameter).sub_(parameter.grad(), 1e-4);
    }
  }

  const at::Tensor x_ = at::randn({2, 3, 8, 8});
};

TEST_F(TrainableGraphTest, WeightsAreParametersAndValuesAreRounded) {
  const TrainableGraph graph = OrThrow(TrainableGraph::Create(Calibrated()));
  const std::string text =
      ShortIr(*graph.module().get_method("forward").graph());
  EXPECT_THAT(text,
              ContainsRegex(
                  "aten::fake_quantize_per_tensor_affine.%0, self.ns_scale_0, "
                  "self.ns_zero_point_0, 0, 255"));
  EXPECT_THAT(text,
              ContainsRegex("ns::fake_quantize_weight.self.ns_parameter"));
  EXPECT_THAT(text, Not(HasSubstr("ns_observer_")));
  EXPECT_THAT(text, Not(HasSubstr("observed_weight")));
  std::vector<std::string> shapes;
  for (const at::Tensor& parameter : graph.module().parameters()) {
    EXPECT_TRUE(parameter.requires_grad() && parameter.is_leaf());
    shapes.push_back(absl::StrCat(parameter.dim()));
  }
  EXPECT_THAT(shapes, testing::UnorderedElementsAre("4", "1"));
}

TEST_F(TrainableGraphTest, ComputesWhatConvertingMakesOfIt) {
  const TrainableGraph graph = OrThrow(TrainableGraph::Create(Calibrated()));
  for (int step = 0; step < 3; ++step) {
    QuantizedModel quantized = OrThrow(ConvertModel(graph.prepared(), {}));
    const at::Tensor x = at::randn({4, 3, 8, 8});
    const at::Tensor ours = OutputOf(graph, x);
    const at::Tensor theirs = Output(quantized.model, x);
    const at::Tensor error = (ours - theirs).abs();
    // A sum that is rounded in another order may fall on the other side of a
    // tie.
    EXPECT_LT(error.gt(1e-4).to(at::kFloat).mean().item<float>(), 0.01);
    EXPECT_LT(error.max().item<float>(), 0.05 * ours.abs().max().item<float>());
    Step(graph, x);
  }
}

TEST_F(TrainableGraphTest, TrainingLeavesTheModelItWasMadeOfAlone) {
  const ModelGraph prepared = Calibrated();
  QuantizedModel before = OrThrow(ConvertModel(prepared, {}));
  const TrainableGraph graph = OrThrow(TrainableGraph::Create(prepared));
  Step(graph, x_);
  QuantizedModel after = OrThrow(ConvertModel(prepared, {}));
  EXPECT_TRUE(Output(after.model, x_).equal(Output(before.model, x_)));
  QuantizedModel trained = OrThrow(ConvertModel(graph.prepared(), {}));
  EXPECT_FALSE(Output(trained.model, x_).equal(Output(before.model, x_)));
}

TEST_F(TrainableGraphTest, WhatStaysFloatIsNotRounded) {
  QuantizeOptions options;
  options.keep = {"conv2d"};
  const TrainableGraph graph =
      OrThrow(TrainableGraph::Create(Calibrated(options)));
  const std::string text =
      ShortIr(*graph.module().get_method("forward").graph());
  EXPECT_THAT(text, ContainsRegex("aten::conv2d.%0, self.ns_parameter"));
}

TEST_F(TrainableGraphTest, RangesFollowWhatTheModelComputesNow) {
  TrainableGraph graph = OrThrow(TrainableGraph::Create(Calibrated()));
  const at::Tensor large = 100 * x_;
  // Beyond the range that was calibrated, values are clipped.
  const at::Tensor clipped = OutputOf(graph, large);
  NS_ASSERT_OK(graph.RenewRanges([&](const ModelGraph& prepared) {
    return Calibrate(prepared, BatchesOf({large}), nullptr);
  }));
  EXPECT_GT(OutputOf(graph, large).abs().max().item<float>(),
            10 * clipped.abs().max().item<float>());
}

TEST_F(TrainableGraphTest, WhatIsNotSeenAgainKeepsItsRange) {
  TrainableGraph graph = OrThrow(TrainableGraph::Create(Calibrated()));
  const at::Tensor expected = OutputOf(graph, x_);
  NS_ASSERT_OK(
      graph.RenewRanges([](const ModelGraph&) { return absl::OkStatus(); }));
  EXPECT_TRUE(OutputOf(graph, x_).equal(expected));
  NS_EXPECT_OK(ConvertModel(graph.prepared(), {}).status());
  EXPECT_EQ(
      graph
          .RenewRanges([&](const ModelGraph& prepared) {
            NS_EXPECT_OK(Calibrate(prepared, BatchesOf({100 * x_}), nullptr));
            return absl::InternalError("no more batches");
          })
          .message(),
      "no more batches");
  EXPECT_TRUE(OutputOf(graph, x_).equal(expected));
}

// Once a training has diverged, all behind the input is nan.
TEST_F(TrainableGraphTest, RangesStayWhereAValueGetsNone) {
  TrainableGraph graph = OrThrow(TrainableGraph::Create(Calibrated()));
  const at::Tensor expected = OutputOf(graph, x_);
  QuantizedModel before = OrThrow(ConvertModel(graph.prepared(), {}));
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> kept;
  for (const at::Tensor& parameter : graph.parameters()) {
    kept.push_back(parameter.clone());
    parameter.fill_(std::numeric_limits<float>::quiet_NaN());
  }
  EXPECT_THAT(std::string(graph
                              .RenewRanges([&](const ModelGraph& prepared) {
                                return Calibrate(
                                    prepared, BatchesOf({100 * x_}), nullptr);
                              })
                              .message()),
              HasSubstr("all nan"));
  for (size_t i = 0; i < kept.size(); ++i) {
    graph.parameters()[i].copy_(kept[i]);
  }
  EXPECT_TRUE(OutputOf(graph, x_).equal(expected));
  QuantizedModel after = OrThrow(ConvertModel(graph.prepared(), {}));
  EXPECT_TRUE(Output(after.model, x_).equal(Output(before.model, x_)));
}

TEST_F(TrainableGraphTest, RefusesWhatCannotBeTrained) {
  EXPECT_THAT(MessageOf(TrainableGraph::Create(FloatModel(kNet))),
              HasSubstr("the model was not prepared"));
  EXPECT_THAT(MessageOf(TrainableGraph::Create(
                  OrThrow(PrepareModel(FloatModel(kNet), {})))),
              HasSubstr("calibrate"));
  const ModelGraph sums =
      OrThrow(PrepareModel(FloatModel({"return x + torch.relu(x)"}), {}));
  NS_ASSERT_OK(Calibrate(sums, BatchesOf({x_}), nullptr));
  EXPECT_THAT(MessageOf(TrainableGraph::Create(sums)),
              HasSubstr("no constant weights that could be trained"));
}

}  // namespace
}  // namespace ns
