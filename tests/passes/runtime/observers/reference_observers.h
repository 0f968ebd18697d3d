// What PyTorch's tests of observers try, and ask of them.
#ifndef TESTS_PASSES_RUNTIME_OBSERVERS_REFERENCE_OBSERVERS_H_
#define TESTS_PASSES_RUNTIME_OBSERVERS_REFERENCE_OBSERVERS_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

at::Tensor TensorOf(const std::vector<float>& numbers);

// `config` with these dtypes and schemes, with a range as it is and halved.
std::vector<ObserverConfig> Variants(const ObserverConfig& config,
                                     const std::vector<at::ScalarType>& dtypes,
                                     const std::vector<at::QScheme>& schemes);

// How many steps `config` divides a range into.
double StepsOf(const ObserverConfig& config);

// The one number that `observer` has as "min_val" or "max_val".
float Bound(const Observer& observer, const std::string& name);

// Expects the parameters of a range from 0, or above, to `high`.
void ExpectQParams(const Observer& observer, double high);

// Expects that both have the same parameters and state.
void ExpectSame(const Observer& a, const Observer& b);

// Expects that the state of `observer` is all that another one needs.
void ExpectStateLoads(const Observer& observer);

}  // namespace ns

#endif  // TESTS_PASSES_RUNTIME_OBSERVERS_REFERENCE_OBSERVERS_H_
