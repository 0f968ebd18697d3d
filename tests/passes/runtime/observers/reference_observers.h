// Configurations that PyTorch's tests of observers try, and checks that they
// make.
#ifndef TESTS_PASSES_RUNTIME_OBSERVERS_REFERENCE_OBSERVERS_H_
#define TESTS_PASSES_RUNTIME_OBSERVERS_REFERENCE_OBSERVERS_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

at::Tensor TensorOf(const std::vector<float>& numbers);

// `config` with each of these dtypes and each of these schemes; and once more
// with reduce_range, where PyTorch supports it.
std::vector<ObserverConfig> Variants(const ObserverConfig& config,
                                     const std::vector<at::ScalarType>& dtypes,
                                     const std::vector<at::QScheme>& schemes);

// How many steps `config` divides a range into.
double StepsOf(const ObserverConfig& config);

// The one number that `observer` has as "min_val" or "max_val".
float Bound(const Observer& observer, const std::string& name);

// Expects the parameters for the range 0..high, to which observers widen a
// range that begins above 0.
void ExpectQParams(const Observer& observer, double high);

// Expects that both have the same parameters and state.
void ExpectSame(const Observer& a, const Observer& b);

// Expects that a new observer of the same config is the same as `observer` once
// it has loaded its state.
void ExpectStateLoads(const Observer& observer);

}  // namespace ns

#endif  // TESTS_PASSES_RUNTIME_OBSERVERS_REFERENCE_OBSERVERS_H_
