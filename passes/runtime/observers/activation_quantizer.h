// What stands on the inputs and the output of a quantization candidate when an
// instrumented graph runs.
#ifndef PASSES_RUNTIME_OBSERVERS_ACTIVATION_QUANTIZER_H_
#define PASSES_RUNTIME_OBSERVERS_ACTIVATION_QUANTIZER_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstdint>
#include <vector>

#include "passes/runtime/observers/activation_histogram.h"
#include "passes/runtime/observers/qparams.h"

namespace ns {

// How activations are quantized; numbers are saved with models.
enum class ActivationScheme : int64_t {
  kNone = 0,     // left in float
  kStatic = 1,   // integers, with the parameters that calibration found
  kDynamic = 2,  // integers, with parameters of each tensor's own range
  kHalf = 3,     // rounded to half precision
};

// What calibration makes of the values it sees, for the static scheme.
enum class ActivationObserver : int64_t {
  kMinMax = 0,     // the range that holds all of them
  kHistogram = 1,  // the range with the smallest squared error
};

struct ActivationConfig {
  ActivationScheme scheme = ActivationScheme::kNone;
  ActivationObserver observer = ActivationObserver::kMinMax;
  int64_t quant_min = 0;
  int64_t quant_max = 255;
  bool symmetric = false;

  bool operator==(const ActivationConfig& other) const {
    return scheme == other.scheme && observer == other.observer &&
           quant_min == other.quant_min && quant_max == other.quant_max &&
           symmetric == other.symmetric;
  }
};

// Observes values while a model is calibrated; once converted, quantizes and
// dequantizes them. Before that, quantizing hands its value on.
//
// Registered as torch.classes.ns.ActivationQuantizer, with methods
// `observe(Tensor)`, `observe_list(Tensor[])`, `forward(Tensor) -> Tensor`,
// `forward_list(Tensor[]) -> Tensor[]`, `convert()`, `is_converted()`,
// `scale()` and `zero_point()`.
class ActivationQuantizer final : public torch::CustomClassHolder {
 public:
  explicit ActivationQuantizer(const ActivationConfig& options)
      : options_(options) {}

  const ActivationConfig& options() const { return options_; }

  // Takes in the values of a batch; nothing once converted, in other schemes
  // than the static one, and for tensors that are not of floating point
  // (indices, masks). Nan and inf do not count.
  void Observe(const at::Tensor& x);

  // `x` quantized and dequantized, in the dtype it has. Tensors that are not of
  // floating point and schemes that do not quantize hand it on as it is. A
  // place that calibration never reached has the parameters of the tensor's own
  // range.
  at::Tensor Quantize(const at::Tensor& x) const;

  // From now on, quantizes.
  void Convert();
  bool IsConverted() const { return converted_; }

  // Of the values observed so far.
  QParams Calibrated() const;
  bool HasSeenValues() const { return has_seen_values_; }

  // For saving and loading.
  std::vector<double> ObservedState() const;
  void SetObservedState(const std::vector<double>& state);

 private:
  QParams FromRange(float min, float max) const;
  QParams OwnRange(const at::Tensor& x) const;

  const ActivationConfig options_;
  bool converted_ = false;
  // Set by Convert.
  QParams qparams_;
  bool has_seen_values_ = false;
  float min_ = 0;
  float max_ = 0;
  ActivationHistogram histogram_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_ACTIVATION_QUANTIZER_H_
