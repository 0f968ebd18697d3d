// The casts between the values of one model and the subgraphs of another.
#ifndef PASSES_REWRITE_SHADOW_CASTS_H_
#define PASSES_REWRITE_SHADOW_CASTS_H_

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "passes/ops/op_io_types.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// What a tensor holds, as far as the graph tells.
enum class TensorNumerics {
  kFloat,  // or indices and masks, which are never cast
  kHalf,
  kInt8,
};

// What `value` holds, from the op that makes it; ops that take either dtype
// hold what their first data input holds. What no op tells (graph inputs,
// elements of tuples) is int8 where an op takes it that takes nothing else, and
// float otherwise. `io_types`, here and below, tells of ops of the user's.
TensorNumerics NumericsOf(const torch::jit::Value& value,
                          const OpIoTypes& io_types = {});

// Whether `value` is the activation of an op that takes nothing but int8.
bool IsTakenAsInt8(const torch::jit::Value& value,
                   const OpIoTypes& io_types = {});

struct QuantizationParameters {
  double scale = 1;
  int64_t zero_point = 0;
  c10::ScalarType dtype = c10::ScalarType::QUInt8;
};

// The constant parameters that `value` is quantized with: those of the op that
// makes it or, behind ops that keep their input's, of what that is made from.
std::optional<QuantizationParameters> QuantizationParametersOf(
    const torch::jit::Value& value, const OpIoTypes& io_types = {});

// The same where no control flow lies between: the other arm of a prim::If, or
// a later trip of a loop, may have other parameters.
std::optional<QuantizationParameters> SureQuantizationParametersOf(
    const torch::jit::Value& value);

// Casts `value`, a tensor or a list of tensors of any dtype, to what `original`
// holds, in front of `place`:
//
//   float     %cast = ns::as_float(%value)
//   half      %cast = ns::as_half(%value)
//   quantized %cast = ns::as_quantized(%value, %scale, %zero_point, %dtype),
//             with the parameters of `original`
//
// Error: an `original` that is quantized with unknown parameters.
absl::StatusOr<torch::jit::Value*> CastLike(const torch::jit::Value& original,
                                            torch::jit::Value* value,
                                            torch::jit::Node* place,
                                            const OpIoTypes& io_types = {});

}  // namespace ns

#endif  // PASSES_REWRITE_SHADOW_CASTS_H_
