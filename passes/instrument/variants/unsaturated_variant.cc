#include "passes/instrument/variants/unsaturated_variant.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>

#include "absl/status/statusor.h"
#include "ir/base/torch_errors.h"
#include "passes/analysis/saturation_check.h"

namespace ns {
namespace {

constexpr size_t kLayerInput = 1;

}  // namespace

std::optional<LayerVariant> UnsaturatedVariant(const torch::jit::Node& base) {
  const std::optional<SaturationCheck> check = CheckSaturation(base);
  if (!check || !check->IsPossible()) {
    return std::nullopt;
  }
  const absl::StatusOr<c10::IValue> exact = CatchTorchErrors([&] {
    return LayerOf(base)->With(kernels::SaturationMode::kExact).ToIValue();
  });
  if (!exact.ok()) {
    return std::nullopt;
  }
  LayerVariant variant;
  variant.constants = {{kLayerInput, *exact}};
  return variant;
}

}  // namespace ns
