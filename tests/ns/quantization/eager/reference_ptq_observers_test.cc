// PyTorch's cases of observers inside of prepared models, see tests/README.md.
#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ns/quantization/eager/quantize.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/runtime/observers/observer.h"
#include "tests/ns/quantization/eager/reference_models.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Module;

TEST(ReferenceRecordingTest, KeepsWhatTheModuleGaveForEveryBatch) {
  const Module model = MakeModel({{"fc1", Wrapped(RandomLinear(5, 5))}},
                                 {"return self.fc1.forward(x)"});
  Module prepared = OrThrow(Prepare(model, {{"", DefaultDebugQConfig()}}));
  const std::vector<Batch> batches = {BatchOf(at::randn({2, 5})),
                                      BatchOf(at::randn({2, 5}))};
  NS_ASSERT_OK(DefaultEvalFn(prepared, batches));
  NS_ASSERT_OK(DefaultEvalFn(prepared, batches));
  const ObserverDict listed = GetObserverDict(prepared);
  const std::map<std::string, c10::IValue> observers(listed.begin(),
                                                     listed.end());
  const ObserverPtr observer =
      observers.at("fc1.module.activation_post_process")
          .toCustomClass<Observer>();
  const ObserverState values = observer->State();
  ASSERT_EQ(values.size(), 4);
  EXPECT_TRUE(values.at("0").equal(
      OutputOf(model, batches[0].arguments[0].toTensor())));
}

TEST(ReferenceObserverStateTest, MovesToAnotherPreparedModel) {
  for (const ObserverKind kind :
       {ObserverKind::kMinMax, ObserverKind::kMovingAverageMinMax,
        ObserverKind::kHistogram}) {
    QConfig qconfig = DefaultQConfig();
    qconfig.activation = SpecOf(kind);
    Module seen = OrThrow(Prepare(TwoLinears(), {{"", qconfig}}));
    OutputOf(seen, at::randn({5, 3}));
    const Module fresh = OrThrow(Prepare(TwoLinears(), {{"", qconfig}}));
    const ObserverDict listed = GetObserverDict(fresh);
    const std::map<std::string, c10::IValue> observers(listed.begin(),
                                                       listed.end());
    ASSERT_EQ(observers.size(), 3);
    for (const auto& [path, value] : GetObserverDict(seen)) {
      const ObserverPtr from = value.toCustomClass<Observer>();
      const ObserverPtr to = observers.at(path).toCustomClass<Observer>();
      to->SetState(from->State());
      EXPECT_TRUE(
          to->CalculateQParams().scale.equal(from->CalculateQParams().scale));
      for (const auto& [name, tensor] : from->State()) {
        EXPECT_TRUE(to->State()[name].equal(tensor)) << path << " " << name;
      }
    }
  }
}

}  // namespace
}  // namespace ns
