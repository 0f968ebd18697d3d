// Describes the output pipeline (epilogue): how a sum of products becomes an
// output.
#ifndef PASSES_KERNELS_OUTPUT_PIPELINE_H_
#define PASSES_KERNELS_OUTPUT_PIPELINE_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"

namespace ns::kernels {

enum class OutputType {
  kU8,   // quantized values
  kS8,   // the same, with a sign
  kF32,  // real values: dynamic linear
  kS32,  // sums corrected for zero points, not scaled or clamped; of the
         // biases, only quantized_bias is in them
};

// Bytes of one output.
int64_t OutputSize(OutputType type);

// How the numbers of one call relate to real values: an activation's quantized
// value a is (a - activation_zero_point) * activation_scale, and so on. Spans
// of weights hold one element, or one for each output channel.
struct OutputSpec {
  OutputType type = OutputType::kU8;
  float activation_scale = 1;
  int32_t activation_zero_point = 0;
  absl::Span<const float> weight_scales;
  absl::Span<const int32_t> weight_zero_points;
  // The bias of each output channel, or empty. At most one of the two is given.
  // The float one is in real values, the other in units of activation_scale *
  // weight_scale.
  absl::Span<const float> bias;
  absl::Span<const int32_t> quantized_bias;
  // The qparams of outputs of kU8 and kS8. The zero point is a quantized value
  // itself.
  float output_scale = 1;
  int32_t output_zero_point = 0;
  // The least and the largest result: quantized values, or values of kF32 (relu
  // is a minimum of the zero point, or of 0). What `type` cannot hold is out of
  // reach anyway. For kF32, a nan is kept.
  float min = -std::numeric_limits<float>::infinity();
  float max = std::numeric_limits<float>::infinity();
};

// The constants of an OutputSpec for each of `channels` output channels; it
// does not refer to the spec. An output is computed from them as fbgemm does:
//
//   sum    = sum over k of a[k] * b[k], in s32, wrapping, pairs saturating as
//            saturation_mode.h says
//   sum   += start - row_sum * weight_zero_point
//   x      = fma(addend, addend_factor, (float)sum)
//   q      = saturate_u8(saturate_s16(saturate_s16(round(x * multiplier)) +
//                                     output_zero_point))
//   q      = min(max(q, min), max)
//
// row_sum is the sum of a[k]. round is to nearest, ties to even, and gives
// INT_MIN for nan and what s32 cannot hold (cvtps2dq). For kS8, saturate_s8
// stands for saturate_u8.
//
// aw is activation_scale * weight_scale, in float, and multiplier is
// aw / output_scale. With a weight scale for each channel, addend is bias / aw
// and addend_factor is 1. With one for all, addend is bias and addend_factor
// (float)(1.0 / aw): fbgemm rounds differently there, which changes some
// outputs. For kF32, value = fma((float)sum, aw, bias), clamped to min and max.
// For kS32, the output is the corrected `sum`.
struct OutputPlan {
  OutputType type = OutputType::kU8;
  // The quantized value of 0, which convolutions are padded with.
  int32_t activation_zero_point = 0;
  int64_t channels = 0;
  // Each of size `channels`. `start` is quantized_bias - activation_zero_point
  // * (sum_k b - weight_zero_point * K), wrapping.
  std::vector<int32_t> start;
  std::vector<float> addend;      // kF32: the bias
  std::vector<float> multiplier;  // kF32: aw
  float addend_factor = 1;
  // Empty when all are 0: row sums are not needed then.
  std::vector<int32_t> weight_zero_points;
  int32_t output_zero_point = 0;
  // For kU8 and kS8, these are within the range of the type. For kF32, they are
  // bounds as they are.
  float min = 0;
  float max = 0;
};

// Works out the plan of `spec`. `column_sums` holds, for each output channel,
// the sum of its `k` weights.
OutputPlan PlanOutput(const OutputSpec& spec,
                      absl::Span<const int32_t> column_sums, int64_t k);

// The constants of kU8 and kS8 as vectors take them: bytes, or s16, side by
// side in 32 bits. Values with a sign are worked out like those without, 128
// higher, and moved back at the end.
struct ByteConstants {
  uint32_t zero_points;  // s16, moved
  uint32_t moves;        // u8: 0, or 128 for a type with a sign
  uint32_t mins;         // u8, moved
  uint32_t maxes;        // u8, moved
  // Whether saturating to u8 is all, as nothing is moved or clamped.
  bool saturates_only;
};

// The channels of a plan from `begin` on, as kernels read them. It points into
// the plan, and counts channels from `begin`.
struct OutputView {
  OutputType type;
  const int32_t* start;
  const float* addend;
  const float* multiplier;
  const int32_t* weight_zero_points;  // null when all are 0
  float addend_factor;
  int32_t output_zero_point;
  float min;
  float max;
  ByteConstants bytes;  // of kU8 and kS8
};
OutputView ViewOutput(const OutputPlan& plan, int64_t begin);

// The reference of all kernels: computes the output of `channel` of the view
// from `sum`, to which `start` is not added yet, and `row_sum`, and writes it
// to element `index` of `out`, an array of the plan's type.
void WriteOutput(const OutputView& view, int64_t channel, int32_t sum,
                 int32_t row_sum, void* out, int64_t index);

// Rounds as cvtps2dq does: to nearest, ties to even; INT_MIN for nan and what
// does not fit.
int32_t RoundToInt32(float x);

// Returns the first `q` of OutputPlan, which is not clamped to min and max yet.
// `type` is kU8 or kS8.
int32_t Requantize(float x, float multiplier, int32_t zero_point,
                   OutputType type);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_OUTPUT_PIPELINE_H_
