#include "passes/quantization/observe/observer_object.h"

#include <torch/csrc/jit/api/module.h>

#include <utility>

#include "ir/base/status.h"
#include "ir/files/module_file.h"
#include "passes/runtime/observers/fake_quantize.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/scripted_observer.h"

namespace ns {
namespace {

absl::StatusOr<ObserverPtr> NewObserver(const ObserverSpec& spec) {
  if (spec.config.kind != ObserverKind::kScripted) {
    return MakeObserver(spec.config);
  }
  NS_ASSIGN_OR_RETURN(const torch::jit::Module module, LoadModule(spec.path));
  return Annotated(spec.path, MakeScriptedObserver(module._ivalue()));
}

}  // namespace

absl::StatusOr<c10::IValue> MakeObserverObject(const ObserverSpec& spec) {
  NS_ASSIGN_OR_RETURN(ObserverPtr observer, NewObserver(spec));
  if (spec.use == ObserverUse::kObserve) {
    return c10::IValue(std::move(observer));
  }
  NS_ASSIGN_OR_RETURN(
      FakeQuantizePtr quantizer,
      MakeFakeQuantize(std::move(observer),
                       spec.use == ObserverUse::kFusedFakeQuantize));
  return c10::IValue(std::move(quantizer));
}

ObserverPtr ObserverIn(const c10::IValue& object) {
  if (object.type() == c10::getTypePtr<FakeQuantizePtr>()) {
    return object.toCustomClass<FakeQuantize>()->observer();
  }
  if (object.type() == c10::getTypePtr<ObserverPtr>()) {
    return object.toCustomClass<Observer>();
  }
  return {};
}

}  // namespace ns
