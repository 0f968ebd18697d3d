#include "passes/runtime/dtype_casts.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include <utility>
#include <vector>

namespace ns {
namespace {

template <typename Cast>
std::vector<at::Tensor> CastAll(const std::vector<at::Tensor>& list,
                                const Cast& cast) {
  std::vector<at::Tensor> all;
  all.reserve(list.size());
  for (const at::Tensor& x : list) {
    all.push_back(cast(x));
  }
  return all;
}

std::vector<at::Tensor> AsFloatList(const std::vector<at::Tensor>& x) {
  return CastAll(x, AsFloat);
}

std::vector<at::Tensor> AsHalfList(const std::vector<at::Tensor>& x) {
  return CastAll(x, AsHalf);
}

at::Tensor AsQuantizedOp(const at::Tensor& x, double scale, int64_t zero_point,
                         int64_t dtype) {
  return AsQuantized(x, scale, zero_point, static_cast<at::ScalarType>(dtype));
}

std::vector<at::Tensor> AsQuantizedList(const std::vector<at::Tensor>& x,
                                        double scale, int64_t zero_point,
                                        int64_t dtype) {
  return CastAll(x, [&](const at::Tensor& element) {
    return AsQuantizedOp(element, scale, zero_point, dtype);
  });
}

// Computes (value - zero point) * scale, rounded once, as LibTorch does.
// LibTorch takes one value at a time.
template <typename Quantized>
void DequantizeValues(const Quantized* quantized, int64_t count, float scale,
                      int32_t zero_point, float* values) {
  for (int64_t i = 0; i < count; ++i) {
    values[i] =
        static_cast<float>(static_cast<int32_t>(quantized[i]) - zero_point) *
        scale;
  }
}

at::Tensor Dequantize(const at::Tensor& x) {
  const bool has_bytes =
      x.scalar_type() == at::kQUInt8 || x.scalar_type() == at::kQInt8;
  if (!has_bytes || x.qscheme() != at::kPerTensorAffine ||
      !x.is_non_overlapping_and_dense()) {
    return x.dequantize();
  }
  const at::Tensor values =
      at::empty_strided(x.sizes(), x.strides(), at::kFloat);
  const auto scale = static_cast<float>(x.q_scale());
  const auto zero_point = static_cast<int32_t>(x.q_zero_point());
  if (x.scalar_type() == at::kQUInt8) {
    DequantizeValues(static_cast<const uint8_t*>(x.data_ptr()), x.numel(),
                     scale, zero_point, values.data_ptr<float>());
  } else {
    DequantizeValues(static_cast<const int8_t*>(x.data_ptr()), x.numel(), scale,
                     zero_point, values.data_ptr<float>());
  }
  return values;
}

}  // namespace

at::Tensor AsFloat(const at::Tensor& x) {
  if (x.is_quantized()) {
    return Dequantize(x);
  }
  const bool is_narrow =
      x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16;
  return is_narrow ? x.to(at::kFloat) : x;
}

at::Tensor AsHalf(const at::Tensor& x) {
  const at::Tensor value = AsFloat(x);
  return value.is_floating_point() ? value.to(at::kHalf) : value;
}

at::Tensor AsQuantized(const at::Tensor& x, double scale, int64_t zero_point,
                       at::ScalarType dtype) {
  if (x.is_quantized() || !x.is_floating_point()) {
    return x;
  }
  return at::quantize_per_tensor(AsFloat(x).to(at::kFloat), scale, zero_point,
                                 dtype);
}

at::Tensor QuantizedLike(const at::Tensor& x, const at::Tensor& like) {
  if (like.is_quantized() && like.qscheme() == at::kPerTensorAffine) {
    return AsQuantized(x, like.q_scale(), like.q_zero_point(),
                       like.scalar_type());
  }
  return x.is_floating_point() && like.is_floating_point()
             ? x.to(like.scalar_type())
             : x;
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def("as_float(Tensor(a) x) -> Tensor(a)", AsFloat);
  library.def("as_float.list(Tensor[] x) -> Tensor[]", AsFloatList);
  library.def("as_half(Tensor(a) x) -> Tensor(a)", AsHalf);
  library.def("as_half.list(Tensor[] x) -> Tensor[]", AsHalfList);
  library.def(
      "as_quantized(Tensor(a) x, float scale, int zero_point, int dtype) -> "
      "Tensor(a)",
      AsQuantizedOp);
  library.def(
      "as_quantized.list(Tensor[] x, float scale, int zero_point, int dtype) "
      "-> Tensor[]",
      AsQuantizedList);
  library.def("quantized_like(Tensor(a) x, Tensor like) -> Tensor(a)",
              QuantizedLike);
}

}  // namespace ns
