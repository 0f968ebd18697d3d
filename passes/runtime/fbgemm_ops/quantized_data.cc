#include "passes/runtime/fbgemm_ops/quantized_data.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ns {
namespace {

// A tensor of `sizes` that lies as [batch, ..., channels]. `make(sizes,
// format)` makes one of a layout that LibTorch has a name for.
template <typename Make>
at::Tensor WithChannelsLast(at::IntArrayRef sizes, const Make& make) {
  if (sizes.size() == 4) {
    return make(sizes, at::MemoryFormat::ChannelsLast);
  }
  if (sizes.size() == 5) {
    return make(sizes, at::MemoryFormat::ChannelsLast3d);
  }
  std::vector<int64_t> moved = sizes.vec();
  moved.erase(moved.begin() + 1);
  moved.push_back(sizes[1]);
  return make(moved, at::MemoryFormat::Contiguous).movedim(-1, 1);
}

}  // namespace

void CheckQuantized(const at::Tensor& x, const char* op) {
  TORCH_CHECK(
      x.is_quantized() && x.scalar_type() == at::kQUInt8 &&
          x.qscheme() == at::kPerTensorAffine,
      op, ": takes quint8 tensors with one scale, and this one is ",
      x.is_quantized() ? "another quantized tensor of " : "not quantized, of ",
      x.scalar_type());
  TORCH_CHECK(x.q_zero_point() >= 0 && x.q_zero_point() <= 255, op,
              ": an input's zero point is ", x.q_zero_point(),
              ", and must be 0 to 255");
}

kernels::QParams QParamsOf(const at::Tensor& x) {
  return {static_cast<float>(x.q_scale()),
          static_cast<int32_t>(x.q_zero_point())};
}

const uint8_t* QuantizedDataOf(const at::Tensor& x) {
  return static_cast<const uint8_t*>(x.data_ptr());
}

uint8_t* MutableQuantizedDataOf(const at::Tensor& x) {
  return static_cast<uint8_t*>(x.data_ptr());
}

at::Tensor ChannelsLast(const at::Tensor& x) {
  switch (x.dim()) {
    case 4:
      return x.contiguous(at::MemoryFormat::ChannelsLast);
    case 5:
      return x.contiguous(at::MemoryFormat::ChannelsLast3d);
    default:
      return x.movedim(1, -1).contiguous();
  }
}

uint8_t QuantizedValueOf(float value, kernels::QParams qparams) {
  const float steps = std::nearbyint(value * (1.0f / qparams.scale));
  const float quantized = steps + static_cast<float>(qparams.zero_point);
  return static_cast<uint8_t>(std::min(std::max(0.0f, quantized), 255.0f));
}

at::Tensor Dense(const at::Tensor& x) {
  return x.contiguous(x.suggest_memory_format());
}

at::Tensor LaidOutAs(const at::Tensor& x, const at::Tensor& like) {
  return x.contiguous(like.suggest_memory_format());
}

at::Tensor EmptyQuantizedLike(const at::Tensor& like, double scale,
                              int64_t zero_point) {
  return EmptyQuantized(like.sizes(), scale, zero_point,
                        like.suggest_memory_format());
}

at::Tensor EmptyQuantized(at::IntArrayRef sizes, double scale,
                          int64_t zero_point, at::MemoryFormat format) {
  return at::_empty_affine_quantized(
      sizes, at::TensorOptions().dtype(at::kQUInt8), scale, zero_point, format);
}

at::Tensor EmptyChannelsLast(at::IntArrayRef sizes, double scale,
                             int64_t zero_point) {
  return WithChannelsLast(
      sizes, [&](at::IntArrayRef dense, at::MemoryFormat format) {
        return EmptyQuantized(dense, scale, zero_point, format);
      });
}

at::Tensor EmptyChannelsLast(at::IntArrayRef sizes, at::ScalarType dtype) {
  return WithChannelsLast(
      sizes, [&](at::IntArrayRef dense, at::MemoryFormat format) {
        return at::empty(dense, dtype, c10::nullopt, c10::nullopt, c10::nullopt,
                         format);
      });
}

void CheckQParams(double scale, int64_t zero_point, const char* op) {
  TORCH_CHECK(scale > 0 && std::isfinite(scale), op, ": the output's scale is ",
              scale, ", and must be positive and finite");
  TORCH_CHECK(zero_point >= 0 && zero_point <= 255, op,
              ": the output's zero point is ", zero_point,
              ", and must be 0 to 255");
}

}  // namespace ns
