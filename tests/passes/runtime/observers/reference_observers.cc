#include "tests/passes/runtime/observers/reference_observers.h"

#include <ATen/ATen.h>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/tensor_qparams.h"
#include "passes/runtime/observers/values/qparams.h"

namespace ns {

at::Tensor TensorOf(const std::vector<float>& numbers) {
  return at::tensor(numbers, at::kFloat);
}

std::vector<ObserverConfig> Variants(const ObserverConfig& config,
                                     const std::vector<at::ScalarType>& dtypes,
                                     const std::vector<at::QScheme>& schemes) {
  std::vector<ObserverConfig> variants;
  for (const at::ScalarType dtype : dtypes) {
    for (const at::QScheme scheme : schemes) {
      ObserverConfig variant = config;
      variant.dtype = dtype;
      variant.qscheme = scheme;
      variants.push_back(variant);
      variant.reduce_range = true;
      // The others have no halved range in PyTorch.
      const bool can_be_halved =
          dtype == at::kQInt8 || (dtype == at::kQUInt8 && !IsSymmetric(scheme));
      if (can_be_halved && scheme != at::kPerChannelAffineFloatQParams) {
        variants.push_back(variant);
      }
    }
  }
  return variants;
}

double StepsOf(const ObserverConfig& config) {
  const QuantGrid grid = GridOf(config);
  return static_cast<double>(grid.quant_max - grid.quant_min);
}

void ExpectQParams(const Observer& observer, double high) {
  const ObserverConfig& config = observer.config();
  const bool is_symmetric = IsSymmetric(config.qscheme);
  const TensorQParams qparams = observer.CalculateQParams();
  EXPECT_NEAR(qparams.scale.item<double>(),
              high / (is_symmetric ? StepsOf(config) / 2 : StepsOf(config)),
              1e-5);
  int64_t zero_point = GridOf(config).quant_min;
  if (is_symmetric) {
    zero_point = config.dtype == at::kQUInt8 ? 128 : 0;
  }
  EXPECT_EQ(qparams.zero_point.item<int64_t>(), zero_point);
}

void ExpectSame(const Observer& a, const Observer& b) {
  const TensorQParams x = a.CalculateQParams();
  const TensorQParams y = b.CalculateQParams();
  EXPECT_TRUE(x.scale.equal(y.scale));
  EXPECT_TRUE(x.zero_point.equal(y.zero_point));
  for (const auto& [name, tensor] : a.State()) {
    EXPECT_TRUE(tensor.equal(b.State().at(name))) << name;
  }
}

void ExpectStateLoads(const Observer& observer) {
  const ObserverPtr other = *MakeObserver(observer.config());
  other->SetState(observer.State());
  ExpectSame(*other, observer);
}

float Bound(const Observer& observer, const std::string& name) {
  return observer.State().at(name).item<float>();
}

}  // namespace ns
