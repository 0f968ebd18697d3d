#include "passes/quantization/observe/prepared_model.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>
#include <string>
#include <tuple>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/observers/fake_quantize.h"
#include "passes/runtime/observers/make_observer.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

torch::jit::Module Empty() { return torch::jit::Module("__torch__.M"); }

PreparedModel Example() {
  PreparedModel prepared;
  PreparedLayer layer;
  layer.name = "layer1.0.conv1";
  layer.op = "aten::conv2d";
  layer.qconfig = "int8 per channel";
  layer.rule = "object type 'conv2d'";
  layer.inputs = {3, 5};
  layer.output = 4;
  layer.weight = OptionsOf(DefaultConfig(ObserverKind::kPerChannelMinMax));
  layer.limits = {3, 4, false};
  layer.watcher = 7;
  prepared.layers = {layer, PreparedLayer()};
  LayerQuantization embedding;
  embedding.name = "table";
  embedding.op = "aten::embedding";
  embedding.qconfig = "weight only";
  embedding.rule = "global";
  embedding.weight = WeightQuantization{"per_channel_affine", {0.5, 0.25}};
  prepared.report.layers = {embedding, LayerQuantization()};
  prepared.report.stayed_float = {{"exp", "aten::exp", "it has no int8 form"}};
  prepared.report.unused_rules = {"module name 'nowhere'"};
  prepared.report.warnings = {"be careful", ""};
  return prepared;
}

void ExpectExample(const PreparedModel& prepared) {
  ASSERT_EQ(prepared.layers.size(), 2);
  const PreparedLayer& layer = prepared.layers[0];
  EXPECT_EQ(layer.name, "layer1.0.conv1");
  EXPECT_EQ(layer.op, "aten::conv2d");
  EXPECT_EQ(layer.qconfig, "int8 per channel");
  EXPECT_EQ(layer.rule, "object type 'conv2d'");
  EXPECT_THAT(layer.inputs, ElementsAre(3, 5));
  EXPECT_EQ(layer.output, 4);
  EXPECT_EQ(layer.weight,
            OptionsOf(DefaultConfig(ObserverKind::kPerChannelMinMax)));
  EXPECT_EQ(layer.limits.least, 3);
  EXPECT_EQ(layer.limits.most, 4);
  EXPECT_FALSE(layer.limits.single_pixels);
  EXPECT_TRUE(prepared.layers[1].limits.IsAll());
  EXPECT_EQ(layer.watcher, 7);
  EXPECT_THAT(prepared.layers[1].weight, IsEmpty());
  EXPECT_EQ(prepared.layers[1].watcher, -1);
  const QuantizationReport& report = prepared.report;
  ASSERT_EQ(report.layers.size(), 2);
  EXPECT_EQ(report.layers[0].name, "table");
  EXPECT_EQ(report.layers[0].op, "aten::embedding");
  EXPECT_EQ(report.layers[0].qconfig, "weight only");
  EXPECT_EQ(report.layers[0].rule, "global");
  EXPECT_EQ(report.layers[0].weight->scheme, "per_channel_affine");
  EXPECT_THAT(report.layers[0].weight->scales, ElementsAre(0.5, 0.25));
  EXPECT_FALSE(report.layers[0].output);
  EXPECT_FALSE(report.layers[1].weight);
  ASSERT_EQ(report.stayed_float.size(), 1);
  EXPECT_EQ(report.stayed_float[0].name, "exp");
  EXPECT_EQ(report.stayed_float[0].op, "aten::exp");
  EXPECT_EQ(report.stayed_float[0].reason, "it has no int8 form");
  EXPECT_THAT(report.unused_rules, ElementsAre("module name 'nowhere'"));
  EXPECT_THAT(report.warnings, ElementsAre("be careful", ""));
}

torch::jit::Module SavedAndLoaded(const torch::jit::Module& module) {
  std::stringstream stream;
  module.save(stream);
  return torch::jit::load(stream);
}

std::string ErrorOf(const torch::jit::Module& module) {
  return MessageOf(AttachedPreparedModel(module));
}

// A module whose record is `value`.
torch::jit::Module WithRecord(const c10::IValue& value) {
  torch::jit::Module module = Empty();
  module.register_attribute("ns_prepared", value.type(), value);
  return module;
}

TEST(PreparedModelTest, IsPartOfTheModule) {
  torch::jit::Module module = Empty();
  EXPECT_FALSE(IsPrepared(module));
  AttachPreparedModel(module, Example());
  EXPECT_TRUE(IsPrepared(module));
  ExpectExample(OrThrow(AttachedPreparedModel(module)));
}

TEST(PreparedModelTest, SavesAndLoads) {
  torch::jit::Module module = Empty();
  AttachPreparedModel(module, Example());
  module = SavedAndLoaded(module);
  EXPECT_TRUE(IsPrepared(module));
  ExpectExample(OrThrow(AttachedPreparedModel(module)));
}

TEST(PreparedModelTest, MayHaveNoLayer) {
  torch::jit::Module module = Empty();
  AttachPreparedModel(module, PreparedModel());
  const PreparedModel prepared =
      OrThrow(AttachedPreparedModel(SavedAndLoaded(module)));
  EXPECT_THAT(prepared.layers, IsEmpty());
  EXPECT_THAT(prepared.report.warnings, IsEmpty());
}

TEST(PreparedModelTest, OthersAreNotPrepared) {
  EXPECT_EQ(ErrorOf(Empty()),
            "the model was not prepared; insert-observers has not run on it");
}

// One of another version has other fields behind the version, too.
TEST(PreparedModelTest, AnotherVersionIsNamed) {
  const std::string other =
      "the model was prepared by another version of ns; prepare it again";
  EXPECT_EQ(ErrorOf(WithRecord(std::make_tuple(
                int64_t{0}, std::make_tuple(int64_t{1}, std::string("?"))))),
            other);
  EXPECT_EQ(ErrorOf(WithRecord(std::make_tuple(int64_t{99}, int64_t{1}))),
            other);
  EXPECT_EQ(ErrorOf(WithRecord(std::make_tuple(std::string("1"), int64_t{1}))),
            other);
}

TEST(PreparedModelTest, WhatIsNoRecordIsAnError) {
  EXPECT_NE(ErrorOf(WithRecord(int64_t{1})), "");
  EXPECT_NE(ErrorOf(WithRecord(std::make_tuple(int64_t{1}, int64_t{2}))), "");
}

TEST(PreparedModelTest, ObserversHaveNumbers) {
  EXPECT_EQ(ObserverAttribute(0), "ns_observer_0");
  EXPECT_EQ(ObserverAttribute(12), "ns_observer_12");
}

TEST(PreparedModelTest, FindsObserversAndThoseOfFakeQuantizations) {
  torch::jit::Module module = Empty();
  const ObserverPtr observer = *MakeObserver(DefaultConfig(ObserverKind::kMse));
  const ObserverPtr inner = *MakeObserver(DefaultConfig(ObserverKind::kMinMax));
  module.register_attribute("ns_observer_0", c10::getTypePtr<ObserverPtr>(),
                            observer);
  module.register_attribute("ns_observer_1", c10::getTypePtr<FakeQuantizePtr>(),
                            *MakeFakeQuantize(inner, false));
  module.register_attribute("ns_observer_2", c10::IntType::get(), int64_t{1});
  module.register_attribute("observer", c10::getTypePtr<ObserverPtr>(),
                            observer);
  EXPECT_EQ(AttachedObserver(module, "ns_observer_0"), observer);
  EXPECT_EQ(AttachedObserver(module, "ns_observer_1"), inner);
  EXPECT_EQ(AttachedObserver(module, "ns_observer_2"), nullptr);
  EXPECT_EQ(AttachedObserver(module, "ns_observer_3"), nullptr);
  EXPECT_EQ(AttachedObserver(module, "observer"), nullptr);
}

TEST(PreparedModelTest, DetachingLeavesWhatTheUserHas) {
  torch::jit::Module module = Empty();
  module.register_attribute("observer", c10::IntType::get(), int64_t{1});
  AttachPreparedModel(module, Example());
  const ObserverPtr observer = *MakeObserver(DefaultConfig(ObserverKind::kMse));
  for (const int64_t number : {0, 3, 10}) {
    module.register_attribute(ObserverAttribute(number),
                              c10::getTypePtr<ObserverPtr>(), observer);
  }
  module.register_attribute("weight", c10::TensorType::get(), at::ones({2}));
  DetachPreparedModel(module);
  EXPECT_FALSE(IsPrepared(module));
  EXPECT_EQ(module.named_attributes(false).size(), 2);
  EXPECT_EQ(module.attr("observer").toInt(), 1);
  EXPECT_TRUE(module.attr("weight").toTensor().equal(at::ones({2})));
  // It can be saved, and prepared again.
  module = SavedAndLoaded(module);
  AttachPreparedModel(module, Example());
  ExpectExample(OrThrow(AttachedPreparedModel(module)));
}

}  // namespace
}  // namespace ns
