#include "ir/files/pickled_tensor.h"

#include <ATen/ATen.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

struct DtypeName {
  absl::string_view storage;
  absl::string_view name;
  c10::ScalarType dtype;
};

constexpr DtypeName kDtypes[] = {
    {"torch.BFloat16Storage", "torch.bfloat16", c10::kBFloat16},
    {"torch.BoolStorage", "torch.bool", c10::kBool},
    {"torch.ByteStorage", "torch.uint8", c10::kByte},
    {"torch.CharStorage", "torch.int8", c10::kChar},
    {"torch.ComplexDoubleStorage", "torch.complex128", c10::kComplexDouble},
    {"torch.ComplexFloatStorage", "torch.complex64", c10::kComplexFloat},
    {"torch.DoubleStorage", "torch.float64", c10::kDouble},
    {"torch.FloatStorage", "torch.float32", c10::kFloat},
    {"torch.HalfStorage", "torch.float16", c10::kHalf},
    {"torch.IntStorage", "torch.int32", c10::kInt},
    {"torch.LongStorage", "torch.int64", c10::kLong},
    {"torch.QInt32Storage", "torch.qint32", c10::kQInt32},
    {"torch.QInt8Storage", "torch.qint8", c10::kQInt8},
    {"torch.QUInt8Storage", "torch.quint8", c10::kQUInt8},
    {"torch.ShortStorage", "torch.int16", c10::kShort},
};

absl::Status Damaged(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("holds a damaged tensor: ", what));
}

absl::Status CheckPerChannel(const PickledTensor& pickled,
                             const PickledQuantizer& quantizer) {
  const int64_t rank = static_cast<int64_t>(pickled.sizes.size());
  if (quantizer.axis < 0 || quantizer.axis >= rank ||
      !quantizer.scales.defined() || !quantizer.zero_points.defined() ||
      quantizer.scales.dim() != 1 || quantizer.zero_points.dim() != 1 ||
      quantizer.scales.numel() != pickled.sizes[quantizer.axis] ||
      quantizer.zero_points.numel() != pickled.sizes[quantizer.axis]) {
    return Damaged("its scales do not fit its channels");
  }
  return absl::OkStatus();
}

absl::Status Check(const PickledTensor& pickled,
                   const PickledQuantizer* quantizer, int64_t storage_bytes) {
  NS_RETURN_IF_ERROR(BytesOf(pickled, storage_bytes).status());
  if (c10::isQIntType(pickled.dtype) != (quantizer != nullptr)) {
    return Damaged(quantizer == nullptr
                       ? "it is quantized and has no scale"
                       : "it has a scale and is not quantized");
  }
  if (quantizer != nullptr && quantizer->scheme != c10::kPerTensorAffine) {
    return CheckPerChannel(pickled, *quantizer);
  }
  return absl::OkStatus();
}

// Returns the empty tensor that `set_` puts the storage into.
at::Tensor Start(const PickledTensor& pickled,
                 const PickledQuantizer* quantizer) {
  const auto options = at::TensorOptions(pickled.dtype);
  if (quantizer == nullptr) {
    return at::empty({0}, options);
  }
  if (quantizer->scheme == c10::kPerTensorAffine) {
    return at::_empty_affine_quantized({0}, options, quantizer->scale,
                                       quantizer->zero_point);
  }
  return at::_empty_per_channel_affine_quantized(
      pickled.sizes, quantizer->scales, quantizer->zero_points, quantizer->axis,
      options);
}

}  // namespace

std::optional<c10::ScalarType> StorageDtype(absl::string_view storage_type) {
  for (const DtypeName& row : kDtypes) {
    if (row.storage == storage_type) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

std::optional<c10::ScalarType> DtypeNamed(absl::string_view name) {
  for (const DtypeName& row : kDtypes) {
    if (row.name == name) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

absl::StatusOr<ByteRange> BytesOf(const PickledTensor& pickled,
                                  int64_t storage_bytes) {
  if (pickled.sizes.size() != pickled.strides.size()) {
    return Damaged(absl::StrCat(pickled.sizes.size(), " sizes and ",
                                pickled.strides.size(), " strides"));
  }
  bool overflow = pickled.offset < 0;
  bool empty = false;
  int64_t elements = 1;
  int64_t last = pickled.offset;
  for (size_t i = 0; i < pickled.sizes.size(); ++i) {
    const int64_t size = pickled.sizes[i];
    const int64_t stride = pickled.strides[i];
    overflow = overflow || size < 0 || stride < 0;
    if (size == 0) {
      empty = true;
      continue;
    }
    int64_t reach = 0;
    overflow = overflow || __builtin_mul_overflow(elements, size, &elements) ||
               __builtin_mul_overflow(size - 1, stride, &reach) ||
               __builtin_add_overflow(last, reach, &last);
  }
  // A view that reaches beyond its storage would read foreign memory later, and
  // LibTorch checks this only in part.
  const auto element_bytes =
      static_cast<int64_t>(c10::elementSize(pickled.dtype));
  if (overflow || (!empty && last >= storage_bytes / element_bytes)) {
    return Damaged("it reaches beyond its storage");
  }
  if (empty) {
    return ByteRange();
  }
  return ByteRange{pickled.offset * element_bytes, (last + 1) * element_bytes};
}

absl::StatusOr<at::Tensor> Rebuild(const PickledTensor& pickled,
                                   const PickledQuantizer* quantizer,
                                   const c10::Storage& storage) {
  NS_RETURN_IF_ERROR(
      Check(pickled, quantizer, static_cast<int64_t>(storage.nbytes())));
  return CatchTorchErrors("holds a damaged tensor", [&] {
    return Start(pickled, quantizer)
        .set_(storage, pickled.offset, pickled.sizes, pickled.strides);
  });
}

absl::StatusOr<at::Tensor> Outline(const PickledTensor& pickled,
                                   const PickledQuantizer* quantizer,
                                   int64_t storage_bytes) {
  NS_RETURN_IF_ERROR(Check(pickled, quantizer, storage_bytes));
  const c10::ScalarType dtype = c10::toUnderlying(pickled.dtype);
  return CatchTorchErrors("holds a damaged tensor", [&] {
    return at::empty_strided(pickled.sizes, pickled.strides,
                             at::TensorOptions(dtype).device(at::kMeta));
  });
}

}  // namespace ns
