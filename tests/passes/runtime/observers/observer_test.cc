#include "passes/runtime/observers/observer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer_options.h"
#include "passes/runtime/observers/scripted_observer.h"

namespace ns {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const ObserverKind kKindsWithRange[] = {
    ObserverKind::kMinMax,
    ObserverKind::kMovingAverageMinMax,
    ObserverKind::kPerChannelMinMax,
    ObserverKind::kMovingAveragePerChannelMinMax,
    ObserverKind::kHistogram,
    ObserverKind::kMse,
    ObserverKind::kPercentile,
    ObserverKind::kEntropy,
};

ObserverPtr Make(ObserverKind kind) {
  ObserverConfig config = DefaultConfig(kind);
  config.ch_axis = 1;
  return *MakeObserver(config);
}

ObserverPtr Seen(ObserverKind kind, const std::vector<at::Tensor>& batches) {
  ObserverPtr observer = Make(kind);
  for (const at::Tensor& batch : batches) {
    observer->Forward(batch);
  }
  return observer;
}

void ExpectSameState(const Observer& a, const Observer& b) {
  const ObserverState state = a.State();
  const ObserverState other = b.State();
  ASSERT_EQ(state.size(), other.size());
  for (const auto& [name, tensor] : state) {
    EXPECT_TRUE(tensor.equal(other.at(name)))
        << ObserverKindName(a.config().kind) << ": " << name;
  }
}

void ExpectSameQParams(const Observer& a, const Observer& b) {
  const TensorQParams x = a.CalculateQParams();
  const TensorQParams y = b.CalculateQParams();
  EXPECT_TRUE(x.scale.equal(y.scale)) << x.scale << " and " << y.scale;
  EXPECT_TRUE(x.zero_point.equal(y.zero_point));
}

c10::IValue SavedAndLoaded(const c10::IValue& value) {
  torch::jit::Module module("__torch__.M");
  module.register_attribute("held", value.type(), value);
  std::stringstream stream;
  module.save(stream);
  return torch::jit::load(stream).attr("held");
}

ObserverPtr SavedAndLoaded(const ObserverPtr& observer) {
  return SavedAndLoaded(c10::IValue(observer)).toCustomClass<Observer>();
}

std::string ErrorOf(const std::function<void()>& run) {
  try {
    run();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "";
}

class ObserverTest : public testing::Test {
 protected:
  const std::vector<at::Tensor> batches_ = {
      at::randn({4, 3, 5}), at::randn({2, 3, 5}) * 2, at::rand({4, 3, 5}) - 2,
      at::randn({1, 3, 5}).relu()};
};

TEST_F(ObserverTest, HandsItsValueOn) {
  for (int i = 0; i < static_cast<int>(ObserverKind::kScripted); ++i) {
    const ObserverPtr observer = Make(static_cast<ObserverKind>(i));
    for (const at::Tensor& x :
         {batches_[0], at::empty({0}), at::arange(6).reshape({2, 3})}) {
      EXPECT_TRUE(observer->Forward(x).is_same(x));
    }
  }
}

TEST_F(ObserverTest, LeavesNestedAndSparseTensorsOut) {
  const at::Tensor dense = at::rand({2, 3});
  for (const ObserverKind kind : kKindsWithRange) {
    const ObserverPtr observer = Make(kind);
    observer->Forward(
        at::_nested_tensor_from_tensor_list({dense[0], dense[1]}));
    observer->Forward(dense.to_sparse());
    EXPECT_EQ(observer->seen().least_rank, -1);
  }
}

TEST_F(ObserverTest, NothingSeenIsScaleOne) {
  for (const ObserverKind kind : kKindsWithRange) {
    for (const ObserverPtr& observer :
         {Make(kind), Seen(kind, {at::empty({0, 3})}),
          Seen(kind, {at::full({2, 3}, kNan)})}) {
      const TensorQParams qparams = observer->CalculateQParams();
      EXPECT_TRUE(qparams.scale.equal(at::ones({1})));
      EXPECT_TRUE(qparams.zero_point.equal(at::zeros({1}, at::kLong)));
    }
  }
}

TEST_F(ObserverTest, ResetForgets) {
  for (const ObserverKind kind : kKindsWithRange) {
    const ObserverPtr observer =
        Seen(kind, {at::full({2, 7}, kInf), batches_[0].slice(1, 0, 1)});
    observer->Reset();
    ExpectSameState(*observer, *Make(kind));
    observer->Forward(batches_[1]);
    ExpectSameState(*observer, *Seen(kind, {batches_[1]}));
  }
}

// Exactly, but for those that average or interpolate.
TEST_F(ObserverTest, MergedHalvesAreTheWhole) {
  for (const ObserverKind kind : kKindsWithRange) {
    const ObserverPtr whole = Seen(kind, batches_);
    ObserverPtr merged = Seen(kind, {batches_[0], batches_[1]});
    merged->Merge(*Seen(kind, {batches_[2], batches_[3]}));
    const TensorQParams a = whole->CalculateQParams();
    const TensorQParams b = merged->CalculateQParams();
    if (kind == ObserverKind::kHistogram) {
      EXPECT_TRUE(a.scale.allclose(b.scale, 0.05));
    } else if (kind == ObserverKind::kMovingAverageMinMax ||
               kind == ObserverKind::kMovingAveragePerChannelMinMax) {
      EXPECT_TRUE(a.scale.allclose(b.scale, 1e-6));
      EXPECT_TRUE(a.zero_point.equal(b.zero_point));
      EXPECT_TRUE(
          whole->State()["min_val"].allclose(merged->State()["min_val"], 1e-6));
    } else {
      ExpectSameState(*merged, *whole);
      ExpectSameQParams(*merged, *whole);
    }
    merged = Make(kind);
    merged->Merge(*whole);
    merged->Merge(*Make(kind));
    ExpectSameQParams(*merged, *whole);
  }
}

TEST_F(ObserverTest, OnlyTheSameConfigMerges) {
  const ObserverPtr observer = Make(ObserverKind::kMinMax);
  EXPECT_EQ(ErrorOf([&] { observer->Merge(*Make(ObserverKind::kMse)); }),
            "observer 'minmax' cannot take in what an observer with another "
            "config has seen (observer 'mse')");
}

TEST_F(ObserverTest, SavingInBetweenChangesNothing) {
  for (const ObserverKind kind : kKindsWithRange) {
    ObserverPtr observer = SavedAndLoaded(Make(kind));
    for (const at::Tensor& batch : batches_) {
      observer->Forward(batch);
      observer = SavedAndLoaded(observer);
    }
    EXPECT_EQ(observer->config(), Make(kind)->config());
    ExpectSameState(*observer, *Seen(kind, batches_));
    ExpectSameQParams(*observer, *Seen(kind, batches_));
  }
}

TEST_F(ObserverTest, StateStaysWhenMoreIsSeen) {
  for (const ObserverKind kind : kKindsWithRange) {
    const ObserverPtr observer = Seen(kind, {batches_[0]});
    const ObserverState state = observer->State();
    observer->Forward(batches_[0]);
    observer->Forward(batches_[1]);
    const ObserverPtr restored = Make(kind);
    restored->SetState(state);
    ExpectSameState(*restored, *Seen(kind, {batches_[0]}));
  }
}

TEST_F(ObserverTest, StateOfAnotherIsRefused) {
  for (const ObserverKind kind : kKindsWithRange) {
    const ObserverPtr observer = Seen(kind, batches_);
    const ObserverState before = observer->State();
    ObserverState state = before;
    state.erase(state.begin());
    EXPECT_NE(ErrorOf([&] { observer->SetState(state); }), "");
    state = before;
    state[kind == ObserverKind::kHistogram ? "histogram" : "min_val"] =
        at::ones({3, 3});
    EXPECT_NE(ErrorOf([&] { observer->SetState(state); }), "");
  }
}

TEST_F(ObserverTest, HistogramsOfNoRangeAreRefused) {
  for (const bool compat : {false, true}) {
    for (const ObserverKind kind :
         {ObserverKind::kHistogram, ObserverKind::kMse}) {
      ObserverConfig config = DefaultConfig(kind);
      config.compat = compat;
      const ObserverPtr observer = *MakeObserver(config);
      // Before anything is seen, the least value is above the largest.
      const ObserverState unseen = observer->State();
      EXPECT_EQ(ErrorOf([&] { observer->SetState(unseen); }), "");
      observer->Forward(at::tensor({1.0F, 2.0F}));
      const ObserverState before = observer->State();
      for (const auto& [name, bound] :
           std::vector<std::pair<std::string, float>>{{"min_val", 3},
                                                      {"min_val", kNan},
                                                      {"min_val", -kInf},
                                                      {"max_val", 0},
                                                      {"max_val", kNan},
                                                      {"max_val", kInf}}) {
        ObserverState state = before;
        state[name] = at::scalar_tensor(bound, at::kFloat);
        EXPECT_NE(ErrorOf([&] { observer->SetState(state); }), "")
            << name << " " << bound;
      }
      observer->SetState(before);
    }
  }
}

TEST_F(ObserverTest, FormatOfAnotherVersionIsNamed) {
  const auto type = c10::IValue(Make(ObserverKind::kMse)).type();
  const auto load = type->expect<c10::ClassType>()->findMethod("__setstate__");
  const c10::IValue object(c10::ivalue::Object::create(
      c10::StrongTypePtr(nullptr, type->expect<c10::ClassType>()), 1));
  const c10::IValue saved(c10::ivalue::Tuple::create(
      {c10::IValue(int64_t{7}), c10::IValue("what it will be")}));
  EXPECT_EQ(ErrorOf([&] {
              (*load)({object, saved});
            }),
            "an observer was saved in format 7; this version of ns reads "
            "format 5; prepare the model again");
}

TEST_F(ObserverTest, NonFiniteValuesAreCountedAndLeftOut) {
  at::Tensor x = at::zeros({6, 3});
  x.copy_(at::linspace(-1, 2, 18).reshape({6, 3}));
  at::Tensor spoiled = at::cat({x, at::zeros({2, 3})});
  spoiled[6][0] = kNan;
  spoiled[6][1] = kInf;
  spoiled[7][2] = -kInf;
  for (const ObserverKind kind : kKindsWithRange) {
    const ObserverPtr observer = Seen(kind, {spoiled});
    EXPECT_EQ(observer->NanCount(), 1);
    EXPECT_EQ(observer->InfCount(), 2);
    if (kind != ObserverKind::kHistogram) {
      ExpectSameQParams(*observer,
                        *Seen(kind, {at::cat({x, at::zeros({1, 3})})}));
    }
    EXPECT_TRUE(
        observer->CalculateQParams().scale.isfinite().all().item<bool>());
  }
}

TEST_F(ObserverTest, ChannelWithoutValuesHasScaleOne) {
  at::Tensor x = at::ones({4, 2});
  x.select(1, 1).fill_(kNan);
  const TensorQParams qparams =
      Seen(ObserverKind::kPerChannelMinMax, {x})->CalculateQParams();
  EXPECT_FLOAT_EQ(qparams.scale[0].item<float>(), 1.0 / 255);
  EXPECT_EQ(qparams.scale[1].item<float>(), 1);
}

TEST_F(ObserverTest, LargestFloatsHaveAFiniteScale) {
  constexpr float kMax = std::numeric_limits<float>::max();
  for (const ObserverKind kind : kKindsWithRange) {
    const TensorQParams qparams =
        Seen(kind, {at::tensor({-kMax, 0.0F, kMax}).reshape({3, 1})})
            ->CalculateQParams();
    EXPECT_TRUE(qparams.scale.isfinite().all().item<bool>())
        << ObserverKindName(kind);
    EXPECT_NEAR(qparams.zero_point[0].item<int64_t>(), 128, 1)
        << ObserverKindName(kind);
  }
}

TEST_F(ObserverTest, ValuesOfOtherDtypesCountAsFloats) {
  const at::Tensor integers = at::arange(-5, 7).reshape({4, 3});
  for (const ObserverKind kind : kKindsWithRange) {
    const ObserverPtr expected = Seen(kind, {integers.to(at::kFloat)});
    for (const at::ScalarType dtype :
         {at::kLong, at::kInt, at::kDouble, at::kHalf, at::kBFloat16}) {
      ExpectSameState(*Seen(kind, {integers.to(dtype)}), *expected);
    }
    Seen(kind, {integers > 0});
  }
}

TEST_F(ObserverTest, WrongTensorsAreNamed) {
  const at::Tensor quantized =
      at::quantize_per_tensor(at::ones({2, 3}), 0.1, 0, at::kQUInt8);
  EXPECT_EQ(ErrorOf([&] { Seen(ObserverKind::kMse, {quantized}); }),
            "observer 'mse' takes real values; this tensor has dtype QUInt8");
  EXPECT_EQ(
      ErrorOf([&] { Seen(ObserverKind::kPerChannelMinMax, {at::ones({3})}); }),
      "observer 'minmax-per-channel': no channels along axis 1 in a tensor "
      "with 1 dimensions; set ch_axis");
  EXPECT_EQ(ErrorOf([&] {
              Seen(ObserverKind::kPerChannelMinMax,
                   {at::ones({2, 3}), at::ones({2, 4})});
            }),
            "observer 'minmax-per-channel': has 3 channels and comes upon 4; "
            "check ch_axis");
  const ObserverPtr three =
      Seen(ObserverKind::kPerChannelMinMax, {at::ones({2, 3})});
  EXPECT_NE(ErrorOf([&] {
              three->Merge(
                  *Seen(ObserverKind::kPerChannelMinMax, {at::ones({2, 4})}));
            }),
            "");
}

TEST_F(ObserverTest, GradientsDoNotPassThroughIt) {
  at::Tensor x = at::randn({2, 3});
  x.requires_grad_();
  for (const ObserverKind kind : kKindsWithRange) {
    for (const auto& [name, tensor] : Seen(kind, {x * 2})->State()) {
      EXPECT_FALSE(tensor.requires_grad()) << name;
    }
  }
}

TEST_F(ObserverTest, MovingAverageForgetsOldBatches) {
  ObserverConfig config = DefaultConfig(ObserverKind::kMovingAverageMinMax);
  config.averaging_constant = 0.5;
  const ObserverPtr observer = *MakeObserver(config);
  observer->Forward(at::tensor({0.0F, 8.0F}));
  observer->Forward(at::tensor({-4.0F, 4.0F}));
  EXPECT_EQ(observer->State()["min_val"].item<float>(), -2);
  EXPECT_EQ(observer->State()["max_val"].item<float>(), 6);
}

class ScriptedObserverTest : public ObserverTest {
 protected:
  ScriptedObserverTest() {
    module_.register_buffer("largest", at::zeros({1}));
    module_.register_attribute("dtype", c10::IntType::get(),
                               static_cast<int64_t>(at::kQInt8));
  }

  void DefineForward() {
    module_.define(R"(
      def forward(self, x):
          self.largest.copy_(torch.max(self.largest, x.abs().max()))
          return x
    )");
  }
  void DefineQParams() {
    module_.define(R"(
      def calculate_qparams(self):
          return self.largest / 127, torch.zeros(1, dtype=3)
    )");
  }

  torch::jit::Module module_ = torch::jit::Module("__torch__.Largest");
};

TEST_F(ScriptedObserverTest, IsAnObserver) {
  DefineForward();
  DefineQParams();
  ObserverPtr observer = *MakeScriptedObserver(module_._ivalue());
  EXPECT_EQ(observer->config().dtype, at::kQInt8);
  const at::Tensor x = at::tensor({-254.0F, 1.0F});
  EXPECT_TRUE(observer->Forward(x).is_same(x));
  EXPECT_EQ(observer->CalculateQParams().scale.item<float>(), 2);
  observer = SavedAndLoaded(observer);
  EXPECT_EQ(observer->config().kind, ObserverKind::kScripted);
  observer->Forward(x * 2);
  EXPECT_EQ(observer->CalculateQParams().scale.item<float>(), 4);
  EXPECT_EQ(ErrorOf([&] { observer->Merge(*observer); }),
            "observer 'scripted' cannot be merged");
  EXPECT_NE(ErrorOf([&] {
              observer->Reset();
            }).find("has no method reset_min_max_vals()"),
            std::string::npos);
}

TEST_F(ScriptedObserverTest, ObjectWithoutItsMethodsIsNone) {
  EXPECT_EQ(MakeScriptedObserver(module_._ivalue()).status().message(),
            "observer 'scripted': __torch__.Largest has no method "
            "forward(Tensor) -> Tensor");
  DefineForward();
  EXPECT_EQ(MakeScriptedObserver(module_._ivalue()).status().message(),
            "observer 'scripted': __torch__.Largest has no method "
            "calculate_qparams() -> (Tensor, Tensor)");
}

TEST_F(ScriptedObserverTest, ItsIntegersAreThoseOfADtypeThatQuantizes) {
  DefineForward();
  DefineQParams();
  const auto refusal = [&] {
    return std::string(
        MakeScriptedObserver(module_._ivalue()).status().message());
  };
  module_.setattr("dtype", static_cast<int64_t>(at::kFloat));
  EXPECT_EQ(refusal(),
            "observer 'scripted': dtype float32 is none of quint8, qint8, "
            "quint4x2, qint32");
  module_.setattr("dtype", static_cast<int64_t>(at::kChar));
  EXPECT_EQ(refusal(),
            "observer 'scripted': dtype Char is none of quint8, qint8, "
            "quint4x2, qint32");
  // Cut to 8 bits, it is the number of quint8.
  module_.setattr("dtype", 256 + static_cast<int64_t>(at::kQUInt8));
  EXPECT_NE(refusal(), "");
  module_.setattr("dtype", static_cast<int64_t>(at::kQInt8));
  EXPECT_EQ(refusal(), "");
  module_.register_attribute("quant_min", c10::IntType::get(), int64_t{9});
  module_.register_attribute("quant_max", c10::IntType::get(), int64_t{3});
  EXPECT_EQ(refusal(),
            "observer 'scripted': the range 9..3 must hold 0 and be no point");
}

}  // namespace
}  // namespace ns
