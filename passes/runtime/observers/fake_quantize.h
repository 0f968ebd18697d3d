// Values as quantizing will leave them, while a model is trained or tried.
#ifndef PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_H_
#define PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include "absl/status/statusor.h"
#include "passes/runtime/observers/observer.h"

namespace ns {

// What a FakeQuantize knows, for saving and loading.
struct FakeQuantizeState {
  bool fake_quant_enabled = true;
  bool observer_enabled = true;
  at::Tensor scale;
  at::Tensor zero_point;
};

// Observes a value, and quantizes and dequantizes it with the parameters found:
// PyTorch's FakeQuantize; with an observer of fixed parameters, its
// FixedQParamsFakeQuantize. With `fused`, its FusedMovingAvgObsFakeQuantize: in
// compat mode that has parameters of another formula than its observer's, else
// it is the same as unfused.
//
// Values are those of FakeQuantized (tensor_qparams.h). Both parts can be
// switched; they start switched on. Graphs call it as
// torch.classes.ns.FakeQuantize, with methods `forward`, `calculate_qparams`,
// `enable_fake_quant`, `disable_fake_quant`, `enable_observer`,
// `disable_observer`, `scale`, `zero_point` and `observer`; it saves and loads
// with its module.
class FakeQuantize final : public torch::CustomClassHolder {
 public:
  // For valid parts, see MakeFakeQuantize.
  FakeQuantize(ObserverPtr observer, bool fused);

  // `x` as it is without values or when fake quantization is off. Throws for a
  // tensor that is not of floating point.
  at::Tensor Forward(const at::Tensor& x);

  // Those of the observer, now.
  TensorQParams CalculateQParams() const {
    return observer_->CalculateQParams();
  }

  // Those in use: of the last batch that was observed.
  const at::Tensor& scale() const { return state_.scale; }
  const at::Tensor& zero_point() const { return state_.zero_point; }

  void EnableFakeQuant(bool enabled) { state_.fake_quant_enabled = enabled; }
  void EnableObserver(bool enabled) { state_.observer_enabled = enabled; }

  const ObserverPtr& observer() const { return observer_; }
  bool is_fused() const { return fused_; }

  const FakeQuantizeState& state() const { return state_; }
  void SetState(FakeQuantizeState state) { state_ = std::move(state); }

 private:
  void Observe(const at::Tensor& x);
  void Use(const TensorQParams& qparams);
  at::Tensor ObservedAndQuantized(const at::Tensor& x);

  ObserverPtr observer_;
  bool fused_;
  FakeQuantizeState state_;
};

using FakeQuantizePtr = c10::intrusive_ptr<FakeQuantize>;

// Errors: an observer that has no scale and zero point, and with `fused` one
// that is no moving average of integer parameters.
absl::StatusOr<FakeQuantizePtr> MakeFakeQuantize(ObserverPtr observer,
                                                 bool fused);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_H_
