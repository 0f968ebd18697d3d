// ns::fbgemm_mean: what aten::mean takes, of quantized values, which keep their
// scale and zero point.
#include <ATen/Functions.h>
#include <ATen/WrapDimUtilsMulti.h>
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <numeric>
#include <vector>

#include "passes/kernels/elementwise/average_rows.h"
#include "passes/kernels/elementwise/dequantize.h"
#include "passes/kernels/elementwise/quantize.h"
#include "passes/kernels/pooling/pooling.h"
#include "passes/kernels/qparams.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

constexpr char kOp[] = "fbgemm_mean";
using Dimensions = std::vector<int64_t>;
using Reduced = std::bitset<at::dim_bitset_size>;

Reduced ReducedDimensions(const at::Tensor& x, at::OptionalIntArrayRef dim) {
  if (dim.has_value() && !dim->empty()) {
    return at::dim_list_to_bitset(*dim, x.dim());
  }
  Reduced all;
  return all.set();
}

// The dimensions of `x` in an order in which those that are reduced lie side by
// side: the order in memory if they do, else behind all others.
Dimensions OrderToReduce(const at::Tensor& x, const Reduced& reduced) {
  Dimensions order(x.dim());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return x.stride(a) > x.stride(b);
  });
  const auto is_reduced = [&](int64_t i) { return reduced[i]; };
  const auto first = std::find_if(order.begin(), order.end(), is_reduced);
  const auto end = std::find_if_not(first, order.end(), is_reduced);
  if (std::any_of(end, order.end(), is_reduced)) {
    std::stable_partition(order.begin(), order.end(),
                          [&](int64_t i) { return !reduced[i]; });
  }
  return order;
}

// The sizes of those that are reduced as one, and of all before and behind it.
kernels::PoolInput AsPoolInput(const at::Tensor& x, const Dimensions& order,
                               const Reduced& reduced) {
  kernels::PoolInput input;
  bool is_behind = false;
  for (const int64_t i : order) {
    if (reduced[i]) {
      input.size[2] *= x.size(i);
      is_behind = true;
    } else {
      (is_behind ? input.channels : input.batch) *= x.size(i);
    }
  }
  return input;
}

// Whether LibTorch adds quantized values up, and not floats: ties then go to
// even quantized values, and not to an even number of steps from the zero
// point.
bool AveragesQuantized(const at::Tensor& x, const Reduced& reduced) {
  bool is_innermost = x.is_contiguous();
  for (int64_t i = 1; i < x.dim(); ++i) {
    is_innermost = is_innermost && (reduced[i] || !reduced[i - 1]);
  }
  return is_innermost;
}

// Whether the rounding errors of floats can decide over the average of `count`
// quantized values: it is a tie, or nearer to one than they are large. An
// average of an odd number of quantized values is 1 / (2 * count) from the next
// tie or more, and floats, of at most 255 steps from zero, are some 4e-4 steps
// off.
bool MayBeTie(int64_t count) {
  constexpr int64_t kMostApart = 512;
  return count % 2 == 0 || count > kMostApart;
}

// Scales whose products and reciprocals are floats. LibTorch makes infinities
// and nan of others.
bool IsOrdinary(double scale) { return scale > 1e-30 && scale < 1e30; }

// The average as LibTorch takes it of other than the innermost dimensions: of
// floats, which its own operator adds up, in an order that it alone knows.
at::Tensor AverageFloats(const at::Tensor& x, at::OptionalIntArrayRef dim,
                         bool keepdim) {
  const at::Tensor dense = Dense(x);
  const at::Tensor values =
      at::empty_strided(dense.sizes(), dense.strides(), at::kFloat);
  const kernels::QParams qparams = QParamsOf(x);
  kernels::Dequantize(QuantizedDataOf(dense), dense.numel(), qparams,
                      values.data_ptr<float>(), TorchParallel);
  const at::Tensor mean = at::mean(values, dim, keepdim).contiguous();
  at::Tensor out = EmptyQuantized(mean.sizes(), x.q_scale(), x.q_zero_point());
  kernels::Quantize(mean.data_ptr<float>(), mean.numel(), qparams,
                    MutableQuantizedDataOf(out), TorchParallel);
  return out;
}

at::Tensor Mean(const at::Tensor& x, at::OptionalIntArrayRef dim,
                bool keepdim) {
  CheckQuantized(x, kOp);
  const Reduced reduced = ReducedDimensions(x, dim);
  const Dimensions order = OrderToReduce(x, reduced);
  kernels::PoolInput input = AsPoolInput(x, order, reduced);
  if (input.size[2] == 0 || input.size[2] > kernels::kMostAveragedValues) {
    return at::mean(x, dim, keepdim);
  }
  if (!AveragesQuantized(x, reduced) && MayBeTie(input.size[2]) &&
      IsOrdinary(x.q_scale())) {
    return AverageFloats(x, dim, keepdim);
  }
  const at::Tensor dense = x.permute(order).contiguous();
  input.quantized = QuantizedDataOf(dense);
  Dimensions kept;
  Dimensions place(x.dim());
  for (size_t i = 0; i < order.size(); ++i) {
    kept.push_back(reduced[order[i]] ? 1 : x.size(order[i]));
    place[order[i]] = static_cast<int64_t>(i);
  }
  at::Tensor out = EmptyQuantized(kept, x.q_scale(), x.q_zero_point());
  const int32_t zero_point = QParamsOf(x).zero_point;
  if (input.channels == 1) {
    kernels::AverageRows(QuantizedDataOf(dense), input.batch, input.size[2],
                         AveragesQuantized(x, reduced) ? 0 : zero_point,
                         MutableQuantizedDataOf(out), TorchParallel);
  } else {
    kernels::AverageSpec spec;  // scales are the same: they cancel out
    spec.input_zero_point = spec.output_zero_point = zero_point;
    kernels::AdaptiveAveragePool(input, {1, 1, 1}, spec,
                                 MutableQuantizedDataOf(out), TorchParallel);
  }
  at::Tensor result = out.permute(place);
  for (int64_t i = x.dim() - 1; !keepdim && i >= 0; --i) {
    result = reduced[i] ? result.squeeze(i) : result;
  }
  return result.contiguous();
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def("fbgemm_mean(Tensor x, int[]? dim, bool keepdim=False) -> Tensor",
              Mean);
}

}  // namespace
}  // namespace ns
