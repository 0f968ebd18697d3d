// Fake quantization: rounds and clips floats as quantizing will, while a model
// is trained or tried.
#ifndef PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_H_
#define PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include "absl/status/statusor.h"
#include "passes/runtime/observers/observer.h"

namespace ns {

// What a FakeQuantize has besides its observer, for saving and loading.
struct FakeQuantizeState {
  bool fake_quant_enabled = true;
  bool observer_enabled = true;
  at::Tensor scale;
  at::Tensor zero_point;
};

// Shows each tensor to its observer, and then quantizes and dequantizes it with
// the parameters that the observer has found (FakeQuantized of
// tensor_qparams.h). This is PyTorch's FakeQuantize or, with an observer of
// kFixedQParams, its FixedQParamsFakeQuantize.
//
// `fused` stands for PyTorch's FusedMovingAvgObsFakeQuantize. It matters only
// if ObserverConfig::compat is set, which asks for PyTorch's results to the
// bit: then LibTorch's op at::fused_moving_avg_obs_fake_quant does both steps,
// and computes parameters that differ slightly from the observer's own.
//
// Observing and fake quantizing can be switched off, each by itself; both are
// on at first. Graphs call it as torch.classes.ns.FakeQuantize, with methods
// `forward`, `calculate_qparams`, `enable_fake_quant`, `disable_fake_quant`,
// `enable_observer`, `disable_observer`, `scale`, `zero_point` and `observer`;
// it saves and loads with its module.
class FakeQuantize final : public torch::CustomClassHolder {
 public:
  // Does not check its arguments: call MakeFakeQuantize instead.
  FakeQuantize(ObserverPtr observer, bool fused);

  // Observes `x`, and returns it fake quantized, or with the values that it has
  // when fake quantization is off. A tensor without elements is returned as it
  // is, and not observed. Throws c10::Error for one that is not of floating
  // point, and for what the observer throws.
  at::Tensor Forward(const at::Tensor& x);

  // What the observer would choose now, for all that it has seen.
  TensorQParams CalculateQParams() const {
    return observer_->CalculateQParams();
  }

  // What Forward uses: the parameters found when it observed last. Before that,
  // scale 1 and zero point 0 or, of kFixedQParams, the fixed ones.
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

// Returns a FakeQuantize around `observer`, which it shares. Errors: a kind of
// observer without scale and zero point (HasQParams) and, with `fused`, any
// kind but the two moving averages, or one with float zero points.
absl::StatusOr<FakeQuantizePtr> MakeFakeQuantize(ObserverPtr observer,
                                                 bool fused);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_H_
