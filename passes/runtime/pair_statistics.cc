#include "passes/runtime/pair_statistics.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "passes/runtime/pair_kernels.h"

namespace ns {
namespace {

// The larger one, or nan when one is nan. std::max would drop a nan.
inline double MaxOrNan(double current, double candidate) {
  return (candidate > current || candidate != candidate) ? candidate : current;
}

inline double MinOrNan(double current, double candidate) {
  return (candidate < current || candidate != candidate) ? candidate : current;
}

// In double throughout: for every value there is.
template <typename T>
PairStatistics AccumulateExactly(const T* x, const T* y, int64_t count) {
  PairStatistics sums;
  sums.count = count;
  for (int64_t i = 0; i < count; ++i) {
    const double a = x[i];
    const double b = y[i];
    const double e = a - b;
    sums.sum_x2 += a * a;
    sums.sum_y2 += b * b;
    sums.sum_xy += a * b;
    sums.sum_e2 += e * e;
    sums.max_abs_error = MaxOrNan(sums.max_abs_error, std::fabs(e));
    sums.min_x = MinOrNan(sums.min_x, a);
    sums.max_x = MaxOrNan(sums.max_x, a);
    sums.min_y = MinOrNan(sums.min_y, b);
    sums.max_y = MaxOrNan(sums.max_y, b);
  }
  return sums;
}

// True where no square in the block can have left the range of float: all
// values are numbers, and the largest are neither huge nor tiny.
bool IsSafe(const PairBlock& block) {
  constexpr float kHuge = 1e15F;
  constexpr float kTiny = 1e-15F;
  const auto in_range = [](float magnitude) {
    return magnitude == 0 || (magnitude > kTiny && magnitude < kHuge);
  };
  return std::isfinite(block.e2) && in_range(block.max_abs_error) &&
         in_range(std::max(std::fabs(block.min_x), std::fabs(block.max_x))) &&
         in_range(std::max(std::fabs(block.min_y), std::fabs(block.max_y)));
}

void AddBlock(const PairBlock& block, int64_t count, PairStatistics& sums) {
  PairStatistics part;
  part.count = count;
  part.sum_x2 = block.x2;
  part.sum_y2 = block.y2;
  part.sum_e2 = block.e2;
  // (x - y)^2 = x^2 - 2 x y + y^2
  part.sum_xy = (block.x2 + block.y2 - block.e2) / 2;
  part.max_abs_error = block.max_abs_error;
  part.min_x = block.min_x;
  part.max_x = block.max_x;
  part.min_y = block.min_y;
  part.max_y = block.max_y;
  sums.Merge(part);
}

// Calls `run` for each block and `exactly` again where floats will not do; both
// take the first element and the number of elements.
template <typename Run, typename Exactly>
PairStatistics ByBlocks(int64_t count, const Run& run, const Exactly& exactly) {
  PairStatistics sums;
  for (int64_t first = 0; first < count; first += kPairBlock) {
    const int64_t size = std::min(kPairBlock, count - first);
    const PairBlock block = run(first, size);
    if (IsSafe(block)) {
      AddBlock(block, size, sums);
    } else {
      sums.Merge(exactly(first, size));
    }
  }
  return sums;
}

PairStatistics CompareFloats(const float* x, const float* y, int64_t count) {
  const PairKernels& kernels = ChosenPairKernels();
  return ByBlocks(
      count,
      [&](int64_t first, int64_t size) {
        return kernels.floats(x + first, y + first, size);
      },
      [&](int64_t first, int64_t size) {
        return AccumulateExactly(x + first, y + first, size);
      });
}

PairStatistics CompareCodes(const float* x, const uint8_t* codes,
                            const CodeFormat& format, int64_t count) {
  const PairKernels& kernels = ChosenPairKernels();
  const uint8_t flip = format.flip_sign ? 0x80 : 0;
  return ByBlocks(
      count,
      [&](int64_t first, int64_t size) {
        return kernels.codes(x + first, codes + first, format, size);
      },
      [&](int64_t first, int64_t size) {
        float y[kPairBlock];
        for (int64_t i = 0; i < size; ++i) {
          const int32_t code = static_cast<uint8_t>(codes[first + i] ^ flip);
          y[i] = static_cast<float>(code - format.zero_point) * format.scale;
        }
        return AccumulateExactly(x + first, y, size);
      });
}

// True for what CompareCodes reads as it is.
bool HoldsByteCodes(const at::Tensor& tensor) {
  return tensor.is_quantized() && tensor.qscheme() == at::kPerTensorAffine &&
         (tensor.scalar_type() == at::kQUInt8 ||
          tensor.scalar_type() == at::kQInt8);
}

CodeFormat FormatOf(const at::Tensor& quantized) {
  CodeFormat format;
  format.scale = static_cast<float>(quantized.q_scale());
  format.flip_sign = quantized.scalar_type() == at::kQInt8;
  format.zero_point = static_cast<int32_t>(quantized.q_zero_point()) +
                      (format.flip_sign ? 128 : 0);
  return format;
}

// `tensor` as float32 or, where that would round its values, as float64.
at::Tensor AsFloat(const at::Tensor& tensor) {
  const at::Tensor strided =
      tensor.is_quantized()
          ? tensor.dequantize()
          : (tensor.layout() == at::kStrided ? tensor : tensor.to_dense());
  switch (strided.scalar_type()) {
    case at::kFloat:
    case at::kDouble:
      return strided.resolve_neg();
    case at::kInt:
    case at::kLong:
      return strided.to(at::kDouble);
    default:
      TORCH_CHECK(!strided.is_complex(), "cannot compare tensors of dtype ",
                  strided.scalar_type());
      return strided.to(at::kFloat);
  }
}

// True when element i in memory of `x` and of `y` have the same indices.
bool SameDenseLayout(const at::Tensor& x, const at::Tensor& y) {
  for (const auto format :
       {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast,
        at::MemoryFormat::ChannelsLast3d}) {
    if (x.is_contiguous(format) && y.is_contiguous(format)) {
      return true;
    }
  }
  return x.is_non_overlapping_and_dense() && x.strides() == y.strides();
}

// The layout to bring two tensors to that differ in theirs: that of the one
// which has its channels last, as quantized convolutions have. LibTorch copies
// in this direction four times as fast as in the other.
at::MemoryFormat CommonFormat(const at::Tensor& x, const at::Tensor& y) {
  for (const auto format :
       {at::MemoryFormat::ChannelsLast, at::MemoryFormat::ChannelsLast3d}) {
    if (x.is_contiguous(format) || y.is_contiguous(format)) {
      return format;
    }
  }
  return at::MemoryFormat::Contiguous;
}

}  // namespace

void PairStatistics::Merge(const PairStatistics& other) {
  count += other.count;
  sum_x2 += other.sum_x2;
  sum_y2 += other.sum_y2;
  sum_xy += other.sum_xy;
  sum_e2 += other.sum_e2;
  max_abs_error = MaxOrNan(max_abs_error, other.max_abs_error);
  min_x = MinOrNan(min_x, other.min_x);
  max_x = MaxOrNan(max_x, other.max_x);
  min_y = MinOrNan(min_y, other.min_y);
  max_y = MaxOrNan(max_y, other.max_y);
}

PairStatistics::Numbers PairStatistics::ToNumbers() const {
  return {static_cast<double>(count),
          sum_x2,
          sum_y2,
          sum_xy,
          sum_e2,
          max_abs_error,
          min_x,
          max_x,
          min_y,
          max_y};
}

PairStatistics PairStatistics::FromNumbers(const Numbers& numbers) {
  PairStatistics statistics;
  statistics.count = static_cast<int64_t>(numbers[0]);
  statistics.sum_x2 = numbers[1];
  statistics.sum_y2 = numbers[2];
  statistics.sum_xy = numbers[3];
  statistics.sum_e2 = numbers[4];
  statistics.max_abs_error = numbers[5];
  statistics.min_x = numbers[6];
  statistics.max_x = numbers[7];
  statistics.min_y = numbers[8];
  statistics.max_y = numbers[9];
  return statistics;
}

double PairStatistics::SqnrDb() const {
  if (sum_e2 == 0) {
    // Also where sum_x2 is inf: log10(inf / 0) would do, but division by zero
    // is undefined in C++.
    return sum_x2 > 0 ? std::numeric_limits<double>::infinity()
                      : std::numeric_limits<double>::quiet_NaN();
  }
  return 10 * std::log10(sum_x2 / sum_e2);
}

double PairStatistics::NormalizedL2() const {
  if (sum_x2 == 0) {
    return sum_e2 > 0 ? std::numeric_limits<double>::infinity()
                      : std::numeric_limits<double>::quiet_NaN();
  }
  return std::sqrt(sum_e2 / sum_x2);
}

double PairStatistics::Cosine() const {
  if (sum_x2 == 0 || sum_y2 == 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double cosine = sum_xy / (std::sqrt(sum_x2) * std::sqrt(sum_y2));
  // Rounding may step over the ends; nan compares false and stays.
  return cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
}

PairStatistics ComparePair(const at::Tensor& x, const at::Tensor& y) {
  TORCH_CHECK(x.defined() && y.defined(), "cannot compare undefined tensors");
  TORCH_CHECK(x.sizes() == y.sizes(), "cannot compare tensors of shapes ",
              x.sizes(), " and ", y.sizes());
  at::NoGradGuard no_grad;
  at::Tensor a = AsFloat(x);
  const bool reads_codes = a.scalar_type() == at::kFloat && HoldsByteCodes(y);
  at::Tensor b = reads_codes ? y : AsFloat(y);
  if (!reads_codes && a.scalar_type() != b.scalar_type()) {
    a = a.to(at::kDouble);
    b = b.to(at::kDouble);
  }
  if (!SameDenseLayout(a, b)) {
    const at::MemoryFormat format = CommonFormat(a, b);
    a = a.contiguous(format);
    b = b.contiguous(format);
  }
  const int64_t count = a.numel();
  if (reads_codes) {
    return CompareCodes(a.data_ptr<float>(),
                        static_cast<const uint8_t*>(b.data_ptr()), FormatOf(b),
                        count);
  }
  return a.scalar_type() == at::kDouble
             ? AccumulateExactly(a.data_ptr<double>(), b.data_ptr<double>(),
                                 count)
             : CompareFloats(a.data_ptr<float>(), b.data_ptr<float>(), count);
}

}  // namespace ns
