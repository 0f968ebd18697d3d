// What an observer notes of tensors besides their values, and what it does not
// note: Observer::seen, Observer::Note, and the method `hand_on` of graphs.
#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <limits>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "passes/runtime/observers/fake_quantize.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer.h"

namespace ns {
namespace {

ObserverPtr Make(ObserverKind kind = ObserverKind::kMse, bool compat = false) {
  ObserverConfig config = DefaultConfig(kind);
  config.compat = compat;
  return *MakeObserver(config);
}

void ExpectSeen(const Observer& observer, const SeenTensors& expected) {
  const SeenTensors& seen = observer.seen();
  EXPECT_EQ(seen.least_rank, expected.least_rank);
  EXPECT_EQ(seen.has_integers, expected.has_integers);
  EXPECT_EQ(seen.has_other_floats, expected.has_other_floats);
  EXPECT_EQ(seen.values, expected.values);
}

// What graphs call.
at::Tensor Call(const c10::IValue& object, const std::string& method,
                const at::Tensor& x) {
  return object.type()
      ->expect<c10::ClassType>()
      ->getMethod(method)({object, x})
      .toTensor();
}

TEST(SeenTensorsTest, NothingAtFirst) {
  ExpectSeen(*Make(), {-1, false, false, 0});
}

TEST(SeenTensorsTest, EmptyTensorsAreNotSeen) {
  const ObserverPtr observer = Make();
  observer->Forward(at::empty({0, 3}));
  observer->Forward(at::empty({0}, at::kLong));
  ExpectSeen(*observer, {-1, false, false, 0});
}

TEST(SeenTensorsTest, TheLeastRankCounts) {
  const ObserverPtr observer = Make();
  observer->Forward(at::rand({2, 3, 4}));
  ExpectSeen(*observer, {3, false, false, 24});
  observer->Forward(at::rand({5, 1}));
  ExpectSeen(*observer, {2, false, false, 29});
  observer->Forward(at::rand({1, 1, 1, 1}));
  ExpectSeen(*observer, {2, false, false, 30});
  observer->Forward(at::rand({}));
  ExpectSeen(*observer, {0, false, false, 31});
}

TEST(SeenTensorsTest, TheGreatestRankCounts) {
  const ObserverPtr observer = Make();
  EXPECT_EQ(observer->seen().greatest_rank, -1);
  observer->Forward(at::rand({2, 3}));
  observer->Forward(at::rand({1, 1, 1, 1}));
  observer->Forward(at::rand({5}));
  EXPECT_EQ(observer->seen().greatest_rank, 4);
  const ObserverPtr merged = Make();
  merged->Forward(at::rand({2, 3}));
  merged->Merge(*observer);
  EXPECT_EQ(merged->seen().greatest_rank, 4);
}

TEST(SeenTensorsTest, ImagesOfOnePixelCount) {
  const ObserverPtr observer = Make();
  for (const std::vector<int64_t>& sizes : std::vector<std::vector<int64_t>>{
           {1, 1, 1}, {2, 3, 1, 2}, {2, 3, 2, 1}, {1, 1, 1, 1, 1, 1}}) {
    observer->Forward(at::rand(sizes));
    EXPECT_FALSE(observer->seen().has_single_pixels);
  }
  const ObserverPtr merged = Make();
  observer->Forward(at::rand({2, 3, 1, 1}));
  merged->Merge(*observer);
  EXPECT_TRUE(merged->seen().has_single_pixels);
  const ObserverPtr volumes = Make();
  volumes->Forward(at::rand({2, 3, 1, 1, 1}));
  EXPECT_TRUE(volumes->seen().has_single_pixels);
}

TEST(SeenTensorsTest, IntegersAndMasksAreTold) {
  for (const at::ScalarType dtype : {at::kLong, at::kByte, at::kBool}) {
    const ObserverPtr observer = Make();
    observer->Forward(at::rand({2}));
    observer->Forward(at::ones({3}, dtype));
    observer->Forward(at::rand({2}));
    ExpectSeen(*observer, {1, true, false, 7});
  }
}

TEST(SeenTensorsTest, FloatsThatQuantizeDoesNotTakeAreTold) {
  for (const at::ScalarType dtype : {at::kDouble, at::kHalf, at::kBFloat16}) {
    const ObserverPtr observer = Make();
    observer->Forward(at::ones({3}, dtype));
    observer->Forward(at::rand({2}));
    ExpectSeen(*observer, {1, false, true, 5});
  }
}

TEST(SeenTensorsTest, ComplexNumbersAreToldAndHandedOn) {
  for (const bool compat : {false, true}) {
    const ObserverPtr observer = Make(ObserverKind::kMinMax, compat);
    observer->Forward(at::rand({2}));
    const ObserverState before = observer->State();
    const at::Tensor x = at::full({2, 3}, 9, at::kComplexFloat);
    EXPECT_TRUE(observer->Forward(x).is_same(x));
    ExpectSeen(*observer, {1, false, true, 8});
    for (const auto& [name, tensor] : observer->State()) {
      EXPECT_TRUE(tensor.equal(before.at(name))) << name;
    }
  }
}

TEST(SeenTensorsTest, KindsWithoutRangesSeeToo) {
  for (const ObserverKind kind :
       {ObserverKind::kNoop, ObserverKind::kPlaceholder,
        ObserverKind::kFixedQParams, ObserverKind::kRecording}) {
    const ObserverPtr observer = Make(kind);
    observer->Forward(at::rand({2, 3}));
    ExpectSeen(*observer, {2, false, false, 6});
  }
}

TEST(SeenTensorsTest, ResetForgets) {
  const ObserverPtr observer = Make();
  observer->Forward(at::ones({3}, at::kLong));
  observer->Forward(at::ones({3}, at::kDouble));
  observer->Reset();
  ExpectSeen(*observer, {-1, false, false, 0});
}

TEST(SeenTensorsTest, MergingJoinsBothSides) {
  const ObserverPtr images = Make();
  images->Forward(at::rand({1, 2, 3, 4}));
  const ObserverPtr rows = Make();
  rows->Forward(at::ones({2, 3}, at::kDouble));
  images->Merge(*rows);
  ExpectSeen(*images, {2, false, true, 30});

  const ObserverPtr nothing = Make();
  nothing->Merge(*images);
  ExpectSeen(*nothing, {2, false, true, 30});
  images->Merge(*Make());
  ExpectSeen(*images, {2, false, true, 30});
}

TEST(SeenTensorsTest, SavesWithItsModule) {
  const ObserverPtr observer = Make();
  observer->Forward(at::ones({2, 3}, at::kLong));
  observer->Forward(at::ones({1, 2, 3}, at::kHalf));
  torch::jit::Module module("__torch__.M");
  module.register_attribute("held", c10::getTypePtr<ObserverPtr>(), observer);
  std::stringstream stream;
  module.save(stream);
  const auto loaded =
      torch::jit::load(stream).attr("held").toCustomClass<Observer>();
  ExpectSeen(*loaded, {2, true, true, 12});
}

TEST(SeenTensorsTest, FakeQuantizationsLetTheirObserverSee) {
  for (const bool fused : {false, true}) {
    for (const bool compat : {false, true}) {
      const ObserverPtr observer =
          Make(ObserverKind::kMovingAverageMinMax, compat);
      const FakeQuantizePtr quantizer = *MakeFakeQuantize(observer, fused);
      quantizer->Forward(at::rand({2, 3}));
      ExpectSeen(*observer, {2, false, false, 6});
      quantizer->EnableObserver(false);
      quantizer->Forward(at::rand({3}));
      ExpectSeen(*observer, {2, false, false, 6});
    }
  }
}

TEST(SeenTensorsTest, HandOnReturnsItsInputUnseen) {
  const ObserverPtr observer = Make();
  const at::Tensor x = at::rand({2, 3});
  EXPECT_TRUE(Call(c10::IValue(observer), "hand_on", x).is_same(x));
  ExpectSeen(*observer, {-1, false, false, 0});
  EXPECT_TRUE(Call(c10::IValue(observer), "forward", x).is_same(x));
  ExpectSeen(*observer, {2, false, false, 6});
}

TEST(SeenTensorsTest, HandOnOfAFakeQuantizationDoesNotRound) {
  const ObserverPtr observer = Make(ObserverKind::kMinMax);
  const FakeQuantizePtr quantizer = *MakeFakeQuantize(observer, false);
  const at::Tensor x = at::rand({2, 3});
  EXPECT_TRUE(Call(c10::IValue(quantizer), "hand_on", x).is_same(x));
  ExpectSeen(*observer, {-1, false, false, 0});
  EXPECT_FALSE(Call(c10::IValue(quantizer), "forward", x).equal(x));
}

}  // namespace
}  // namespace ns
