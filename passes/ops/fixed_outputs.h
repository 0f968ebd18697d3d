// Activations whose quantized output has one range, whatever they are given.
#ifndef PASSES_OPS_FIXED_OUTPUTS_H_
#define PASSES_OPS_FIXED_OUTPUTS_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace ns {

// The scale and zero point that LibTorch's kernel gives the output of `op`
// where it is given quint8.
struct FixedOutput {
  absl::string_view op;
  double scale;
  int64_t zero_point;
};

// Of `op`, "aten::sigmoid", or its form in place; absent for other ops.
std::optional<FixedOutput> FixedOutputOf(absl::string_view op);

}  // namespace ns

#endif  // PASSES_OPS_FIXED_OUTPUTS_H_
