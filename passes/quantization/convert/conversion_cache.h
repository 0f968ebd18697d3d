// Keeps what takes long when one calibrated model is converted again and again.
#ifndef PASSES_QUANTIZATION_CONVERT_CONVERSION_CACHE_H_
#define PASSES_QUANTIZATION_CONVERT_CONVERSION_CACHE_H_

#include <ATen/core/Tensor.h>

#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/quantization/convert/calibrated_value.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// The answers of observers, and quantized weights. They are kept for copies of
// a model, too, which have the same observers and weights.
//
// While the object lives, no observer that was asked may see another value, and
// no weight may change. It keeps both alive.
class ConversionCache {
 public:
  // AskObserver, which is asked once.
  const CalibratedValue& Ask(const ObserverPtr& observer);

  // QuantizedBySpec (constant_weights.h) with an observer of `config`. Errors
  // are not kept.
  absl::StatusOr<at::Tensor> Quantized(const at::Tensor& weight,
                                       const ObserverConfig& config);

 private:
  struct QuantizedWeight {
    at::Tensor weight;
    ObserverConfig config;
    at::Tensor quantized;
  };

  std::map<const Observer*, CalibratedValue> answers_;
  // By the address of the weight's data.
  std::map<const void*, std::vector<QuantizedWeight>> weights_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_CONVERT_CONVERSION_CACHE_H_
