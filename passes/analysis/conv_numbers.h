// Reads the constant arguments of convolutions.
#ifndef PASSES_ANALYSIS_CONV_NUMBERS_H_
#define PASSES_ANALYSIS_CONV_NUMBERS_H_

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/runtime/observers/values/input_means.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns what `value` is in every run: a constant, a list of constant ints, or
// a quantize op of constants; nothing for other values.
std::optional<c10::IValue> EvaluatedConstant(const torch::jit::Value& value);

// Returns the Refusal (ir/base/refusal.h) "its <what> is not constant", for a
// layer whose `what`, such as "weight", is known only when the model runs.
absl::Status NotConstant(absl::string_view what);

// Reads arguments of a convolution that are numbers, such as its stride, by
// their names in the op's schema.
class ConvNumbers {
 public:
  // `dimensions` is the number of spatial dimensions. `node` must outlive the
  // object.
  ConvNumbers(const torch::jit::Node& node, size_t dimensions)
      : node_(node), dimensions_(dimensions) {}

  // Returns a list of one number for each dimension. One number that stands for
  // all dimensions is repeated, as float kernels do. Refusal: numbers that are
  // not constant, or too many or too few.
  absl::StatusOr<std::vector<int64_t>> List(absl::string_view name) const;
  // Returns a single int. Refusal: it is not constant.
  absl::StatusOr<int64_t> Number(absl::string_view name) const;

 private:
  const torch::jit::Node& node_;
  const size_t dimensions_;
};

// Returns whether a convolution is transposed. Refusal: that is not constant.
absl::StatusOr<bool> IsTransposed(const torch::jit::Node& node);

// Returns how `layer` goes over its input: a linear layer, or a convolution
// that is not transposed, with a constant weight. Refusal: another node, and
// numbers that are not constant, such as padding "same".
absl::StatusOr<ConvGeometry> GeometryOf(const torch::jit::Node& layer);

}  // namespace ns

#endif  // PASSES_ANALYSIS_CONV_NUMBERS_H_
