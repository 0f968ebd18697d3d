#include "passes/runtime/statistics/pair_kernels.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "passes/kernels/isa.h"
#include "passes/runtime/statistics/codes_in_use.h"

namespace ns {
namespace {

// `y(i)` is the i-th value of the other side.
template <typename Y>
PairErrors SumErrors(const float* x, const Y& y, int64_t count) {
  PairErrors sums;
  for (int64_t i = 0; i < count; ++i) {
    const float error = x[i] - y(i);
    sums.x2 += static_cast<double>(x[i]) * x[i];
    sums.e2 += static_cast<double>(error) * error;
  }
  return sums;
}

template <typename Y>
PairBlock Accumulate(const float* x, const Y& y, int64_t count) {
  PairBlock block;
  block.min_x = block.max_x = x[0];
  block.min_y = block.max_y = y(0);
  for (int64_t i = 0; i < count; ++i) {
    const float a = x[i];
    const float b = y(i);
    const float e = a - b;
    block.x2 += static_cast<double>(a) * a;
    block.y2 += static_cast<double>(b) * b;
    block.e2 += static_cast<double>(e) * e;
    block.e += e;
    block.max_abs_error = std::max(block.max_abs_error, std::fabs(e));
    block.min_x = std::min(block.min_x, a);
    block.max_x = std::max(block.max_x, a);
    block.min_y = std::min(block.min_y, b);
    block.max_y = std::max(block.max_y, b);
  }
  return block;
}

class FloatReader {
 public:
  explicit FloatReader(const float* values) : values_(values) {}

  float operator()(int64_t i) const { return values_[i]; }

 private:
  const float* values_;
};

class CodeReader {
 public:
  CodeReader(const uint8_t* codes, const CodeFormat& format)
      : codes_(codes),
        zero_point_(format.zero_point),
        flip_(format.flip_sign ? 0x80 : 0),
        scale_(static_cast<double>(format.scale) + format.scale_rest) {}

  float operator()(int64_t i) const {
    const int32_t steps = (codes_[i] ^ flip_) - zero_point_;
    return static_cast<float>(steps * scale_);
  }

 private:
  const uint8_t* codes_;
  int32_t zero_point_;
  int32_t flip_;
  double scale_;
};

PairBlock Floats(const float* x, const float* y, int64_t count) {
  return Accumulate(x, FloatReader(y), count);
}

PairBlock Codes(const float* x, const uint8_t* y, const CodeFormat& format,
                int64_t count) {
  return Accumulate(x, CodeReader(y, format), count);
}

PairBlock CodesAndUse(const float* x, const uint8_t* y,
                      const CodeFormat& format, int64_t count,
                      CodesInUse& use) {
  use.Add(y, count, format.flip_sign);
  return Codes(x, y, format, count);
}

PairErrors FloatErrors(const float* x, const float* y, int64_t count) {
  return SumErrors(x, FloatReader(y), count);
}

PairErrors CodeErrors(const float* x, const uint8_t* y,
                      const CodeFormat& format, int64_t count) {
  return SumErrors(x, CodeReader(y, format), count);
}

void Columns(const float* x, const float* y, int64_t rows, int64_t columns,
             double* x2, double* e2) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const double value = *x++;
      const double error = value - *y++;
      x2[column] += value * value;
      e2[column] += error * error;
    }
  }
}

void Dequantize(const uint8_t* codes, const CodeFormat& format, int64_t count,
                float* values) {
  const CodeReader reader(codes, format);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = reader(i);
  }
}

void DequantizeEach(const uint8_t* codes, bool flip_sign, const double* scales,
                    const int32_t* zero_points, int64_t count, float* values) {
  const int32_t flip = flip_sign ? 0x80 : 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t code = codes[i] ^ flip;
    values[i] = static_cast<float>((code - zero_points[i]) * scales[i]);
  }
}

std::atomic<const PairKernels*>& Chosen() {
  static std::atomic<const PairKernels*> chosen(
      &FastestPairKernels(kernels::ChosenIsa()));
  return chosen;
}

}  // namespace

float Dequantized(uint8_t code, const CodeFormat& format) {
  return CodeReader(&code, format)(0);
}

const PairKernels& ScalarPairKernels() {
  static constexpr PairKernels kKernels = {
      "scalar",   Floats,  Codes,      CodesAndUse,   FloatErrors,
      CodeErrors, Columns, Dequantize, DequantizeEach};
  return kKernels;
}

const PairKernels& FastestPairKernels(kernels::Isa at_most) {
  using Kernels = const PairKernels& (*)();
  static constexpr kernels::IsaTable<Kernels> kKernels = {
      {kernels::Isa::kScalar, ScalarPairKernels},
      {kernels::Isa::kAvx2, Avx2PairKernels},
      {kernels::Isa::kAvx512, Avx512PairKernels},
  };
  return kKernels.For(kernels::FastestIsa(at_most))();
}

std::vector<const PairKernels*> AvailablePairKernels() {
  std::vector<const PairKernels*> kernels;
  for (const kernels::Isa isa : kernels::SupportedIsas()) {
    const PairKernels& fastest = FastestPairKernels(isa);
    if (kernels.empty() || kernels.back() != &fastest) {
      kernels.push_back(&fastest);
    }
  }
  return kernels;
}

const PairKernels& ChosenPairKernels() { return *Chosen().load(); }

ScopedPairKernels::ScopedPairKernels(const PairKernels& kernels)
    : previous_(Chosen().exchange(&kernels)) {}

ScopedPairKernels::~ScopedPairKernels() { Chosen().store(previous_); }

}  // namespace ns
