// What stands on the inputs and the output of a quantization candidate when an
// instrumented graph runs.
#ifndef PASSES_RUNTIME_OBSERVERS_ACTIVATION_QUANTIZER_H_
#define PASSES_RUNTIME_OBSERVERS_ACTIVATION_QUANTIZER_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// Observes values while a model is calibrated; once converted, quantizes and
// dequantizes them. Before that, quantizing hands its value on. What it does
// is the mode of its observer (ModeOf of observer_config.h).
//
// Graphs call it as torch.classes.ns.ActivationQuantizer, with methods
// `observe(Tensor)`, `observe_list(Tensor[])`, `forward(Tensor) -> Tensor`,
// `forward_list(Tensor[]) -> Tensor[]`, `convert()`, `is_converted()`,
// `scale()`, `zero_point()` and `observer()`; it saves and loads with its
// module.
class ActivationQuantizer final : public torch::CustomClassHolder {
 public:
  // For a valid observer, see MakeActivationQuantizer.
  explicit ActivationQuantizer(ObserverPtr observer);

  const ObserverConfig& config() const { return observer_->config(); }
  const ObserverPtr& observer() const { return observer_; }

  // Takes in the values of a batch; nothing once converted, in other modes than
  // the static one, and for tensors that are not of floating point (indices,
  // masks).
  void Observe(const at::Tensor& x);

  // Returns `x` quantized and dequantized, in the dtype it has; in half mode,
  // rounded to half precision. Returns `x` as it is before Convert, in float
  // mode, and when it is not of floating point. If calibration observed no
  // value, the parameters are those of the range of `x`.
  at::Tensor Quantize(const at::Tensor& x) const;

  // From now on, quantizes. Throws what CalculateQParams of the observer does.
  void Convert();
  bool IsConverted() const { return converted_; }

  // True in static mode, unless the parameters are fixed: they are then found
  // from observed values.
  bool NeedsValues() const;
  // How many values were observed; nan and inf do not count.
  int64_t values_seen() const { return values_seen_; }

  // What the observer finds for the values so far; scale 1 and zero point 0 in
  // other modes than the static one.
  TensorQParams Calibrated() const;

  // For loading.
  void Restore(int64_t values_seen, bool converted);

 private:
  ObserverPtr observer_;
  // Of a tensor's own range.
  ObserverConfig own_range_;
  int64_t values_seen_ = 0;
  bool converted_ = false;
  // Set by Convert.
  TensorQParams qparams_;
};

using ActivationQuantizerPtr = c10::intrusive_ptr<ActivationQuantizer>;

// Errors: what MakeObserver refuses; a kind that has no parameters and no
// dtype either, such as "recording".
absl::StatusOr<ActivationQuantizerPtr> MakeActivationQuantizer(
    const ObserverConfig& config);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_ACTIVATION_QUANTIZER_H_
