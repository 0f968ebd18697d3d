#include "passes/emulation/insert_unsaturated_copy.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <optional>

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "passes/analysis/saturation_check.h"
#include "passes/rewrite/copy_with_constants.h"

namespace ns {

using ::torch::jit::Value;

namespace {

constexpr size_t kLayerInput = 1;

}  // namespace

absl::StatusOr<Value*> InsertUnsaturatedCopy(ModelGraph& host,
                                             const Subgraph& subgraph,
                                             const Value& output) {
  const std::optional<SaturationCheck> check = CheckSaturation(*subgraph.base);
  if (!check || !check->IsPossible()) {
    return nullptr;
  }
  NS_ASSIGN_OR_RETURN(const c10::IValue exact, CatchTorchErrors([&] {
                        return LayerOf(*subgraph.base)
                            ->With(kernels::SaturationMode::kExact)
                            .ToIValue();
                      }));
  return CopyWithConstants(host, subgraph, output, {{kLayerInput, exact}});
}

}  // namespace ns
