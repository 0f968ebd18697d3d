#include "passes/quantization/convert/masked_values.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer_config.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A graph in which what observers 0 and 1 see is added, and that of 2 comes to
// a softmax, whose output observer 3 sees. Observers 4 and 5 see the input of a
// sigmoid and a divisor, of which softmaxes take what comes out. Observer 6
// sees what a loop carries.
class MaskedValuesTest : public ::testing::Test {
 protected:
  MaskedValuesTest() {
    torch::jit::Value* self = graph_.addInput("self");
    torch::jit::Value* x = graph_.addInput("x");
    torch::jit::Value* a = Observe(0, self, x);
    torch::jit::Value* b = Observe(1, self, x);
    torch::jit::Value* sum = graph_.insert(c10::aten::add, {a, b});
    torch::jit::Value* scores = Observe(2, self, sum);
    torch::jit::Value* softmax =
        graph_.insert(c10::aten::softmax, {scores, -1});
    graph_.registerOutput(Observe(3, self, softmax));
    torch::jit::Value* hidden = graph_.insert(c10::aten::neg, {x});
    torch::jit::Value* sigmoid =
        graph_.insert(c10::aten::sigmoid, {Observe(4, self, hidden)});
    graph_.registerOutput(graph_.insert(c10::aten::softmax, {sigmoid, -1}));
    torch::jit::Value* ratio =
        graph_.insert(c10::aten::div, {x, Observe(5, self, x)});
    graph_.registerOutput(graph_.insert(c10::aten::softmax, {ratio, -1}));
    torch::jit::Value* trips = graph_.insertConstant(2);
    torch::jit::Value* goes_on = graph_.insertConstant(true);
    torch::jit::Node* loop =
        graph_.insertNode(graph_.create(c10::prim::Loop, {trips, goes_on, x}));
    torch::jit::Block* body = loop->addBlock();
    body->addInput("trip")->setType(c10::IntType::get());
    torch::jit::Value* carried = body->addInput("carried");
    body->registerOutput(goes_on);
    body->registerOutput(carried);
    const torch::jit::WithInsertPoint inside(body);
    Observe(6, self, carried);
  }

  void See(int64_t number, const std::vector<float>& values,
           bool compat = false, ObserverKind kind = ObserverKind::kMinMax) {
    ObserverConfig config = DefaultConfig(kind);
    config.compat = compat;
    const ObserverPtr observer = OrThrow(MakeObserver(config));
    observer->Forward(at::tensor(values));
    observed_[number] = AskObserver(observer);
  }

  static PreparedLayer Layer(const std::string& op,
                             const std::vector<int64_t>& inputs,
                             int64_t output) {
    PreparedLayer layer;
    layer.op = op;
    layer.inputs = inputs;
    layer.output = output;
    return layer;
  }

  // Why `layer` stays in float; empty where it does not.
  std::string ReasonFor(const PreparedLayer& layer) const {
    const MaskedValues masked(calls_, [this](int64_t number) {
      const auto found = observed_.find(number);
      return found == observed_.end() ? nullptr : &found->second;
    });
    return std::string(masked.Check(layer).message());
  }

  const PreparedLayer softmax_ = Layer("aten::softmax", {2}, 3);
  const PreparedLayer add_ = Layer("aten::add", {0, 1}, 2);
  std::map<int64_t, CalibratedValue> observed_;

 private:
  torch::jit::Value* Observe(int64_t number, torch::jit::Value* self,
                             torch::jit::Value* value) {
    torch::jit::Node* observer =
        graph_.insertNode(graph_.create(c10::prim::GetAttr, {self}));
    observer->s_(c10::attr::name, ObserverAttribute(number));
    torch::jit::Node* call = graph_.insertNode(
        graph_.create(c10::prim::CallMethod, {observer->output(), value}));
    call->s_(c10::attr::name, "forward");
    calls_.push_back(call);
    return call->output();
  }

  torch::jit::Graph graph_;
  std::vector<torch::jit::Node*> calls_;
};

TEST_F(MaskedValuesTest, ScoresWithoutAMaskFit) {
  See(2, {-9, 0, 9});
  EXPECT_THAT(ReasonFor(softmax_), IsEmpty());
  EXPECT_THAT(ReasonFor(add_), IsEmpty());
}

TEST_F(MaskedValuesTest, LargeNumbersMakeStepsTooCoarse) {
  See(2, {-1e4, 0, 9});
  EXPECT_THAT(ReasonFor(softmax_), HasSubstr("steps of 39 are too coarse"));
  EXPECT_THAT(ReasonFor(add_), HasSubstr("steps of 39 are too coarse"));
}

TEST_F(MaskedValuesTest, InfiniteScoresHaveNoSteps) {
  See(0, {-9, 9});
  See(2, {-INFINITY, 0, 9});
  EXPECT_THAT(ReasonFor(softmax_), HasSubstr("some of which are infinite"));
  EXPECT_THAT(ReasonFor(add_), HasSubstr("some of which are infinite"));
  EXPECT_THAT(ReasonFor(Layer("aten::matmul", {0}, 0)), IsEmpty());
}

TEST_F(MaskedValuesTest, LayersWithWeightsAndOtherSumsDoNotMatter) {
  See(1, {-INFINITY, 0});
  See(2, {-1e4, 0, 9});
  EXPECT_THAT(ReasonFor(Layer("aten::add", {1}, 4)), IsEmpty());
  PreparedLayer linear = Layer("aten::linear", {1}, 2);
  linear.weight = {{"dtype", "qint8"}};
  EXPECT_THAT(ReasonFor(linear), IsEmpty());
}

TEST_F(MaskedValuesTest, OtherReadersOfScoresDoNotMatter) {
  See(2, {-1e4, 0, 9});
  EXPECT_THAT(ReasonFor(Layer("aten::mul", {2}, 4)), IsEmpty());
}

TEST_F(MaskedValuesTest, NeitherActivationsNorDivisorsAreScores) {
  for (const int64_t output : {4, 5}) {
    See(output, {-1e4, 0, 9});
    EXPECT_THAT(ReasonFor(Layer("aten::add", {0, 1}, output)), IsEmpty());
  }
}

// As of shifted windows: a step of 0.43 is fine enough by itself.
TEST_F(MaskedValuesTest, MasksMakeStepsTooCoarseForTheOthers) {
  for (const ObserverKind kind :
       {ObserverKind::kMse, ObserverKind::kHistogram}) {
    See(2, {-104, -97, -3, 0, 5}, /*compat=*/false, kind);
    EXPECT_THAT(ReasonFor(softmax_),
                HasSubstr("as of masks, and make the steps as large as 0.4"));
    EXPECT_THAT(ReasonFor(add_), HasSubstr("and make the steps"));
    See(2, {-9, -4, 0, 5, 9}, /*compat=*/false, kind);
    EXPECT_THAT(ReasonFor(add_), IsEmpty());
  }
}

// A maximum over unmasked positions.
TEST_F(MaskedValuesTest, MasksMayLeaveNoStepsForTheOthers) {
  const PreparedLayer layer = Layer("aten::add", {0, 1}, 4);
  See(4, {-1e9, -5, 5}, /*compat=*/false, ObserverKind::kMse);
  EXPECT_THAT(ReasonFor(layer), HasSubstr("are too coarse for these"));
  See(4, {-100, -5, 5}, /*compat=*/false, ObserverKind::kMse);
  EXPECT_THAT(ReasonFor(layer), IsEmpty());
}

// As a maximum over unmasked positions takes them.
TEST_F(MaskedValuesTest, OtherInfiniteValuesAreKeptUnlessInputsAreBad) {
  const PreparedLayer layer = Layer("aten::add", {0, 1}, 4);
  See(1, {-INFINITY, 0});
  See(4, {-INFINITY, 0, 9});
  EXPECT_THAT(ReasonFor(layer), HasSubstr("its values are infinite"));
  See(0, {-INFINITY, 9});
  EXPECT_THAT(ReasonFor(layer), IsEmpty());
}

TEST_F(MaskedValuesTest, WhatALoopCarriesIsNoInputOfTheModel) {
  See(4, {-INFINITY, 0, 9});
  See(6, {-INFINITY, 9});
  EXPECT_THAT(ReasonFor(Layer("aten::add", {0, 1}, 4)),
              HasSubstr("its values are infinite"));
}

TEST_F(MaskedValuesTest, PyTorchTakesThemAll) {
  See(2, {-1e4, 0, 9}, /*compat=*/true);
  EXPECT_THAT(ReasonFor(softmax_), IsEmpty());
}

}  // namespace
}  // namespace ns
