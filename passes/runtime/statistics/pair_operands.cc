#include "passes/runtime/statistics/pair_operands.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "passes/runtime/statistics/pair_layout.h"

namespace ns {
namespace {

template <typename T, typename Out>
void ConvertFrom(const at::Tensor& memory, int64_t first, int64_t count,
                 Out* out) {
  const T* values = memory.data_ptr<T>() + first;
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<Out>(values[i]);
  }
}

template <typename Out>
void Convert(const at::Tensor& memory, int64_t first, int64_t count, Out* out) {
  switch (memory.scalar_type()) {
    case at::kFloat:
      return ConvertFrom<float>(memory, first, count, out);
    case at::kDouble:
      return ConvertFrom<double>(memory, first, count, out);
    case at::kHalf:
      return ConvertFrom<at::Half>(memory, first, count, out);
    case at::kBFloat16:
      return ConvertFrom<at::BFloat16>(memory, first, count, out);
    case at::kBool:
      return ConvertFrom<bool>(memory, first, count, out);
    case at::kByte:
      return ConvertFrom<uint8_t>(memory, first, count, out);
    case at::kChar:
      return ConvertFrom<int8_t>(memory, first, count, out);
    case at::kShort:
      return ConvertFrom<int16_t>(memory, first, count, out);
    case at::kInt:
      return ConvertFrom<int32_t>(memory, first, count, out);
    case at::kLong:
      return ConvertFrom<int64_t>(memory, first, count, out);
    default:
      TORCH_CHECK(false, "cannot compare tensors of dtype ",
                  memory.scalar_type());
  }
}

// Zero points are quantized values, but in damaged files. Kernels could not
// subtract larger ones than this; LibTorch refuses to dequantize with them.
constexpr int64_t kLargestZeroPoint = int64_t{1} << 30;

bool HasZeroPointsOfKernels(const at::Tensor& quantized) {
  if (quantized.qscheme() == at::kPerTensorAffine) {
    return quantized.q_zero_point() >= -kLargestZeroPoint &&
           quantized.q_zero_point() <= kLargestZeroPoint;
  }
  const at::Tensor zero_points =
      quantized.q_per_channel_zero_points().to(at::kLong);
  return ((zero_points >= -kLargestZeroPoint) &
          (zero_points <= kLargestZeroPoint))
      .all()
      .item<bool>();
}

// True for quantized values that the kernels read as they are.
bool HasByteCodes(const at::Tensor& tensor) {
  return tensor.is_quantized() &&
         (tensor.scalar_type() == at::kQUInt8 ||
          tensor.scalar_type() == at::kQInt8) &&
         (tensor.qscheme() == at::kPerTensorAffine ||
          tensor.qscheme() == at::kPerChannelAffine) &&
         HasZeroPointsOfKernels(tensor);
}

bool IsComplex(const at::Tensor& first, const at::Tensor& second) {
  return first.defined() && second.defined() &&
         (first.is_complex() || second.is_complex());
}

// Returns real and imaginary parts, beside each other in a new last dimension.
at::Tensor Parts(const at::Tensor& tensor) {
  at::Tensor values = tensor;
  if (values.layout() != at::kStrided) {
    values = values.to_dense();
  }
  if (!values.is_complex()) {
    values = values.is_quantized() ? values.dequantize() : values;
    values = values.to(values.scalar_type() == at::kDouble ? at::kComplexDouble
                                                           : at::kComplexFloat);
  }
  return at::view_as_real(values.resolve_conj());
}

}  // namespace

PairOperand::PairOperand(const at::Tensor& tensor) {
  TORCH_CHECK(tensor.defined(), "cannot compare undefined tensors");
  if (HasByteCodes(tensor)) {
    TakeCodes(tensor);
  } else if (tensor.is_quantized()) {
    memory_ = tensor.dequantize();
  } else if (tensor.layout() != at::kStrided) {
    memory_ = tensor.to_dense();
  } else {
    memory_ = tensor.resolve_neg();
  }
}

void PairOperand::TakeCodes(const at::Tensor& quantized) {
  holds_codes_ = true;
  source_ = quantized;
  memory_ = at::from_blob(quantized.data_ptr(), quantized.sizes(),
                          quantized.strides(), at::kByte);
  flip_sign_ = quantized.scalar_type() == at::kQInt8;
  const int32_t flip = flip_sign_ ? 128 : 0;
  if (quantized.qscheme() == at::kPerTensorAffine) {
    // LibTorch multiplies by a float where there is one scale.
    scales_.push_back(static_cast<float>(quantized.q_scale()));
    zero_points_.push_back(static_cast<int32_t>(quantized.q_zero_point()) +
                           flip);
    return;
  }
  const at::Tensor scales =
      quantized.q_per_channel_scales().to(at::kDouble).contiguous();
  const at::Tensor zero_points =
      quantized.q_per_channel_zero_points().to(at::kLong).contiguous();
  for (int64_t i = 0; i < scales.numel(); ++i) {
    scales_.push_back(scales.data_ptr<double>()[i]);
    zero_points_.push_back(
        static_cast<int32_t>(zero_points.data_ptr<int64_t>()[i]) + flip);
    formats_are_exact_ = formats_are_exact_ && IsExact(scales_.size() - 1);
  }
  axis_ = quantized.q_per_channel_axis();
}

// A kernel knows of a scale what two floats hold, about 48 bits. So one value
// in ten millions is rounded to the other side.
bool PairOperand::IsExact(size_t format) const {
  constexpr int kCodes = 256;
  uint8_t codes[kCodes];
  std::iota(std::begin(codes), std::end(codes), uint8_t{0});
  float values[kCodes];
  CodeFormat unsigned_format = Format(format);
  unsigned_format.flip_sign = false;
  ChosenPairKernels().dequantize(codes, unsigned_format, kCodes, values);
  bool exact = true;
  for (int32_t code = 0; code < kCodes; ++code) {
    const double steps = code - zero_points_[format];
    exact &= values[code] == static_cast<float>(steps * scales_[format]);
  }
  return exact;
}

CodeFormat PairOperand::Format(size_t index) const {
  const auto scale = static_cast<float>(scales_[index]);
  const auto rest = static_cast<float>(scales_[index] - scale);
  return {scale, zero_points_[index], flip_sign_, rest};
}

void PairOperand::BringToLayoutOf(PairOperand& other) {
  BringToSameLayout(memory_, other.memory_);
  for (PairOperand* operand : {this, &other}) {
    if (operand->axis_ >= 0) {
      operand->format_runs_ = operand->RunsOf(operand->axis_);
    }
  }
}

MemoryRuns PairOperand::RunsOf(int64_t dim) const {
  // The stride of a dimension of one element may be anything.
  return memory_.size(dim) == 1
             ? MemoryRuns()
             : MemoryRuns{memory_.size(dim), memory_.stride(dim)};
}

bool PairOperand::NeedsDouble() const {
  switch (memory_.scalar_type()) {
    case at::kDouble:
    case at::kInt:
    case at::kLong:
      return true;
    default:
      return false;
  }
}

CodeFormat PairOperand::FormatOf(int64_t element) const {
  return Format(
      HasOneFormat() ? 0 : static_cast<size_t>(format_runs_.IndexOf(element)));
}

const float* PairOperand::Floats(int64_t first, int64_t count,
                                 float* buffer) const {
  if (HoldsFloats()) {
    return memory_.data_ptr<float>() + first;
  }
  if (holds_codes_) {
    Dequantize(first, count, buffer);
  } else {
    Convert(memory_, first, count, buffer);
  }
  return buffer;
}

const double* PairOperand::Doubles(int64_t first, int64_t count,
                                   double* buffer) const {
  if (memory_.scalar_type() == at::kDouble) {
    return memory_.data_ptr<double>() + first;
  }
  if (holds_codes_) {
    float values[kPairBlock];
    Dequantize(first, count, values);
    std::copy_n(values, count, buffer);
  } else {
    Convert(memory_, first, count, buffer);
  }
  return buffer;
}

void PairOperand::Dequantize(int64_t first, int64_t count,
                             float* values) const {
  const PairKernels& kernels = ChosenPairKernels();
  for (int64_t done = 0; done < count;) {
    const int64_t element = first + done;
    const int64_t index = format_runs_.IndexOf(element);
    int64_t size = std::min(format_runs_.LeftInRun(element), count - done);
    if (format_runs_.length == 1) {
      size = std::min(format_runs_.size - index, count - done);
      kernels.dequantize_each(Codes(element), flip_sign_, &scales_[index],
                              &zero_points_[index], size, values + done);
    } else if (formats_are_exact_) {
      kernels.dequantize(Codes(element), Format(index), size, values + done);
    } else {
      const std::vector<double> scales(size, scales_[index]);
      const std::vector<int32_t> zero_points(size, zero_points_[index]);
      kernels.dequantize_each(Codes(element), flip_sign_, scales.data(),
                              zero_points.data(), size, values + done);
    }
    done += size;
  }
}

PairOperands::PairOperands(const at::Tensor& first, const at::Tensor& second)
    : x(IsComplex(first, second) ? Parts(first) : first),
      y(IsComplex(first, second) ? Parts(second) : second) {
  TORCH_CHECK(first.sizes() == second.sizes(),
              "cannot compare tensors of shapes ", first.sizes(), " and ",
              second.sizes());
  x.BringToLayoutOf(y);
}

}  // namespace ns
