// ns::fbgemm_max_pool1d, 2d, ns::fbgemm_avg_pool1d, 2d, 3d and
// ns::fbgemm_adaptive_avg_pool1d, 2d, 3d: what aten's take, of quantized
// values, which keep their scale and zero point.
#include <ATen/core/Tensor.h>
#include <ATen/native/Pool.h>
#include <torch/library.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "passes/kernels/pooling/pooling.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

using kernels::Dims;

// Numbers of the last `dimensions` dimensions behind `otherwise`; one number is
// for all of them, none are `when_empty`.
Dims ToDims(const char* op, at::IntArrayRef numbers, int dimensions,
            int64_t otherwise, const Dims& when_empty) {
  TORCH_CHECK(numbers.empty() || numbers.size() == 1 ||
                  static_cast<int>(numbers.size()) == dimensions,
              op, ": takes ", dimensions, " numbers where ", numbers.size(),
              " are given");
  if (numbers.empty()) {
    return when_empty;
  }
  Dims dims = {otherwise, otherwise, otherwise};
  for (int i = 0; i < dimensions; ++i) {
    dims[3 - dimensions + i] = numbers.size() == 1 ? numbers[0] : numbers[i];
  }
  return dims;
}

// `x`, with or without a batch, as kernels take it.
class Input {
 public:
  Input(const char* op, const at::Tensor& x, int dimensions)
      : dimensions_(dimensions), has_batch_(x.dim() == dimensions + 2) {
    CheckQuantized(x, op);
    TORCH_CHECK(has_batch_ || x.dim() == dimensions + 1, op, ": takes ",
                dimensions,
                " dimensions behind the channels, and the input "
                "is of size ",
                x.sizes());
    const at::Tensor batched = has_batch_ ? x : x.unsqueeze(0);
    quantized_ = ChannelsLast(batched);
    for (int i = 0; i < dimensions; ++i) {
      size_[3 - dimensions + i] = batched.size(i + 2);
    }
    // LibTorch has no such layouts for what has no batch, and pools rows as
    // images of one.
    is_channels_last_ =
        has_batch_ &&
        (dimensions == 3 ? x.is_contiguous(at::MemoryFormat::ChannelsLast3d)
                         : (dimensions == 1 ? x.unsqueeze(2) : x)
                               .is_contiguous(at::MemoryFormat::ChannelsLast));
    channels_ = batched.size(1);
    batch_ = batched.size(0);
  }

  kernels::PoolInput quantized() const {
    return {QuantizedDataOf(quantized_), batch_, size_, channels_};
  }
  const Dims& size() const { return size_; }
  bool is_channels_last() const { return is_channels_last_; }
  kernels::QParams qparams() const { return QParamsOf(quantized_); }

  at::Tensor EmptyOutput(const Dims& out) const {
    std::vector<int64_t> sizes = {batch_, channels_};
    sizes.insert(sizes.end(), out.end() - dimensions_, out.end());
    return EmptyChannelsLast(sizes, quantized_.q_scale(),
                             quantized_.q_zero_point());
  }
  // `out` without the batch that the input did not have, laid out as LibTorch's
  // pools do: as the input is.
  at::Tensor Finished(const at::Tensor& out) const {
    const at::Tensor whole = has_batch_ ? out : out.squeeze(0);
    return is_channels_last_ ? whole : whole.contiguous();
  }

 private:
  int dimensions_;
  bool has_batch_;
  at::Tensor quantized_;
  Dims size_ = {1, 1, 1};
  bool is_channels_last_ = false;
  int64_t channels_ = 0;
  int64_t batch_ = 0;
};

kernels::PoolWindow WindowOf(const char* op, int dimensions,
                             at::IntArrayRef kernel, at::IntArrayRef stride,
                             at::IntArrayRef padding,
                             at::IntArrayRef dilation) {
  constexpr Dims kOnes = {1, 1, 1};
  constexpr Dims kZeros = {0, 0, 0};
  kernels::PoolWindow window;
  window.kernel = ToDims(op, kernel, dimensions, 1, kOnes);
  window.stride = ToDims(op, stride, dimensions, 1, window.kernel);
  window.padding = ToDims(op, padding, dimensions, 0, kZeros);
  window.dilation = ToDims(op, dilation, dimensions, 1, kOnes);
  for (int i = 0; i < 3; ++i) {
    TORCH_CHECK(window.kernel[i] > 0 && window.stride[i] > 0 &&
                    window.dilation[i] > 0 && window.padding[i] >= 0 &&
                    window.padding[i] <= window.kernel[i] / 2,
                op,
                ": kernel sizes, strides and dilations must be positive, and "
                "paddings at most half of a kernel");
  }
  return window;
}

Dims OutputSize(const char* op, const Input& input,
                const kernels::PoolWindow& window, bool ceil_mode) {
  Dims out;
  for (int i = 0; i < 3; ++i) {
    out[i] = at::native::pooling_output_shape<int64_t>(
        input.size()[i], window.kernel[i], window.padding[i], window.stride[i],
        window.dilation[i], ceil_mode);
    TORCH_CHECK(out[i] > 0, op, ": the input is too small for the kernel");
  }
  return out;
}

template <int kDimensions>
at::Tensor MaxPool(const at::Tensor& x, at::IntArrayRef kernel_size,
                   at::IntArrayRef stride, at::IntArrayRef padding,
                   at::IntArrayRef dilation, bool ceil_mode) {
  constexpr char kOp[] = "fbgemm_max_pool";
  const Input input(kOp, x, kDimensions);
  const kernels::PoolWindow window =
      WindowOf(kOp, kDimensions, kernel_size, stride, padding, dilation);
  const Dims size = OutputSize(kOp, input, window, ceil_mode);
  at::Tensor out = input.EmptyOutput(size);
  kernels::MaxPool(input.quantized(), window, size, MutableQuantizedDataOf(out),
                   TorchParallel);
  return input.Finished(out);
}

kernels::AverageSpec SpecOf(const Input& input) {
  kernels::AverageSpec spec;
  spec.input_scale = spec.output_scale = input.qparams().scale;
  spec.input_zero_point = spec.output_zero_point = input.qparams().zero_point;
  spec.rule = input.is_channels_last() ? kernels::AverageRule::kChannelsLast
                                       : kernels::AverageRule::kContiguous;
  return spec;
}

template <int kDimensions>
at::Tensor AveragePool(const at::Tensor& x, at::IntArrayRef kernel_size,
                       at::IntArrayRef stride, at::IntArrayRef padding,
                       bool ceil_mode, bool count_include_pad,
                       c10::optional<int64_t> divisor_override) {
  constexpr char kOp[] = "fbgemm_avg_pool";
  TORCH_CHECK(!divisor_override || *divisor_override != 0, kOp,
              ": the divisor must not be zero");
  const Input input(kOp, x, kDimensions);
  const kernels::PoolWindow window =
      WindowOf(kOp, kDimensions, kernel_size, stride, padding, {});
  const Dims size = OutputSize(kOp, input, window, ceil_mode);
  kernels::AverageSpec spec = SpecOf(input);
  spec.count_include_pad = count_include_pad;
  spec.divisor = divisor_override.value_or(0);
  at::Tensor out = input.EmptyOutput(size);
  kernels::AveragePool(input.quantized(), window, size, spec,
                       MutableQuantizedDataOf(out), TorchParallel);
  // LibTorch's avg_pool3d gives channels-last outputs of any batches.
  return kDimensions == 3 && x.dim() == 5 ? out : input.Finished(out);
}

at::Tensor AveragePool1d(const at::Tensor& x, at::IntArrayRef kernel_size,
                         at::IntArrayRef stride, at::IntArrayRef padding,
                         bool ceil_mode, bool count_include_pad) {
  return AveragePool<1>(x, kernel_size, stride, padding, ceil_mode,
                        count_include_pad, c10::nullopt);
}

template <int kDimensions>
at::Tensor AdaptiveAveragePool(const at::Tensor& x,
                               at::IntArrayRef output_size) {
  constexpr char kOp[] = "fbgemm_adaptive_avg_pool";
  const Input input(kOp, x, kDimensions);
  const Dims size = ToDims(kOp, output_size, kDimensions, 1, {1, 1, 1});
  for (int i = 0; i < 3; ++i) {
    TORCH_CHECK(size[i] >= 0 && input.size()[i] > 0, kOp,
                ": sizes must be positive");
  }
  at::Tensor out = input.EmptyOutput(size);
  kernels::AdaptiveAveragePool(input.quantized(), size, SpecOf(input),
                               MutableQuantizedDataOf(out), TorchParallel);
  return input.Finished(out);
}

template <int kDimensions>
void Define(torch::Library& library) {
  const std::string suffix = std::to_string(kDimensions) + "d(Tensor x, ";
  library.def(("fbgemm_max_pool" + suffix +
               "int[] kernel_size, int[] stride=[], int[] padding=[], "
               "int[] dilation=[], bool ceil_mode=False) -> Tensor")
                  .c_str(),
              MaxPool<kDimensions>);
  library.def(
      ("fbgemm_adaptive_avg_pool" + suffix + "int[] output_size) -> Tensor")
          .c_str(),
      AdaptiveAveragePool<kDimensions>);
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  Define<1>(library);
  Define<2>(library);
  Define<3>(library);
  constexpr char kAverage[] =
      "(Tensor x, int[] kernel_size, int[] stride=[], int[] padding=[], "
      "bool ceil_mode=False, bool count_include_pad=True, "
      "int? divisor_override=None) -> Tensor";
  library.def((std::string("fbgemm_avg_pool2d") + kAverage).c_str(),
              AveragePool<2>);
  library.def((std::string("fbgemm_avg_pool3d") + kAverage).c_str(),
              AveragePool<3>);
  library.def(
      "fbgemm_avg_pool1d(Tensor x, int[] kernel_size, int[] stride=[], "
      "int[] padding=[], bool ceil_mode=False, bool count_include_pad=True) -> "
      "Tensor",
      AveragePool1d);
}

}  // namespace
}  // namespace ns
