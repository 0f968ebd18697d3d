// Makes an observer of a TorchScript object of the user's.
#ifndef PASSES_RUNTIME_OBSERVERS_SCRIPTED_OBSERVER_H_
#define PASSES_RUNTIME_OBSERVERS_SCRIPTED_OBSERVER_H_

#include <ATen/core/ivalue.h>

#include "absl/status/statusor.h"
#include "passes/runtime/observers/observer.h"

namespace ns {

// The kind kScripted: calls the methods of an object, such as a scripted module
// (Module::_ivalue). What it has seen is kept by the object alone: State() is
// empty.
class ScriptedObserver final : public Observer {
 public:
  // Checks nothing: use MakeScriptedObserver.
  ScriptedObserver(const ObserverConfig& config,
                   c10::intrusive_ptr<c10::ivalue::Object> object)
      : Observer(config), object_(std::move(object)) {}

  const c10::intrusive_ptr<c10::ivalue::Object>& object() const {
    return object_;
  }

  TensorQParams CalculateQParams() const override;
  // Calls reset_min_max_vals(), and throws where the object has no such method.
  void Clear() override;
  ObserverState State() const override { return {}; }
  void SetState(const ObserverState&) override {}

 protected:
  void Observe(const at::Tensor& x) override;
  // Throws: two objects cannot be merged.
  void MergeSame(const Observer& other) override;

 private:
  c10::intrusive_ptr<c10::ivalue::Object> object_;
};

// Returns an observer that calls `object`, and shares it. It must have methods
// forward(Tensor) -> Tensor and calculate_qparams() -> (Tensor, Tensor), as
// PyTorch's scripted observers do. Its attributes, or constants, dtype,
// qscheme, ch_axis, quant_min and quant_max set the fields of the config of
// these names; where it has none, the defaults hold. Error: an object without
// these methods, or attributes that Validate refuses, such as dtype float32.
absl::StatusOr<ObserverPtr> MakeScriptedObserver(
    c10::intrusive_ptr<c10::ivalue::Object> object);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_SCRIPTED_OBSERVER_H_
