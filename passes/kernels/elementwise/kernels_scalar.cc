// The references: what every instruction set computes, bit by bit.
#include <algorithm>
#include <cmath>
#include <limits>

#include "passes/kernels/elementwise/kernels.h"
#include "passes/kernels/output_pipeline.h"

namespace ns::kernels {
namespace {

// A sum of s32 that wraps around, which only unsigned ones may.
int32_t WrappingAdd(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) +
                              static_cast<uint32_t>(b));
}

template <typename Quantized>
Quantized ClampTo(int32_t value) {
  using Limits = std::numeric_limits<Quantized>;
  return static_cast<Quantized>(
      std::clamp<int32_t>(value, Limits::min(), Limits::max()));
}

template <typename Quantized>
Quantized QuantizeOne(float value, float inverse_scale, int32_t zero_point) {
  // The greatest float that is an s32. A nan is not below it, either.
  constexpr float kLimit = 2147483520.0f;
  const float x = value * inverse_scale;
  const int32_t rounded = RoundToInt32(x < kLimit ? x : kLimit);
  return ClampTo<Quantized>(WrappingAdd(rounded, zero_point));
}

float DequantizeOne(int32_t quantized, float scale, int32_t zero_point) {
  return scale * static_cast<float>(quantized - zero_point);
}

// Dequantizes as operands of sums are read.
float DequantizeFma(int32_t quantized, QParams qparams) {
  const float zero = qparams.scale * -static_cast<float>(qparams.zero_point);
  return std::fma(qparams.scale, static_cast<float>(quantized), zero);
}

template <typename Quantized>
void Quantize(const float* values, int64_t count, QParams qparams,
              Quantized* quantized) {
  const float inverse_scale = 1.0f / qparams.scale;
  for (int64_t i = 0; i < count; ++i) {
    quantized[i] =
        QuantizeOne<Quantized>(values[i], inverse_scale, qparams.zero_point);
  }
}

void QuantizeShifted(const float* values, int64_t count, float inverse_scale,
                     float zero_point, uint8_t* quantized) {
  for (int64_t i = 0; i < count; ++i) {
    // A product of its own, so that no compiler makes one operation of both.
    const float scaled = values[i] * inverse_scale;
    quantized[i] = QuantizeOne<uint8_t>(scaled + zero_point, 1, 0);
  }
}

template <typename Quantized>
void QuantizeEach(const float* values, int64_t count,
                  const float* inverse_scales, const int32_t* zero_points,
                  Quantized* quantized) {
  for (int64_t i = 0; i < count; ++i) {
    quantized[i] =
        QuantizeOne<Quantized>(values[i], inverse_scales[i], zero_points[i]);
  }
}

template <typename Quantized>
void Dequantize(const Quantized* quantized, int64_t count, QParams qparams,
                float* values) {
  for (int64_t i = 0; i < count; ++i) {
    values[i] = DequantizeOne(quantized[i], qparams.scale, qparams.zero_point);
  }
}

template <typename Quantized>
void DequantizeEach(const Quantized* quantized, int64_t count,
                    const float* scales, const int32_t* zero_points,
                    float* values) {
  for (int64_t i = 0; i < count; ++i) {
    values[i] = DequantizeOne(quantized[i], scales[i], zero_points[i]);
  }
}

// `sum < 0` is false of a nan, which stays.
uint8_t QuantizeSum(float sum, bool relu, float inverse_scale,
                    int32_t zero_point) {
  return QuantizeOne<uint8_t>(relu && sum < 0 ? 0 : sum, inverse_scale,
                              zero_point);
}

void Add(QuantizedOperand a, QuantizedOperand b, int64_t count, bool relu,
         QParams out_qparams, bool /*cannot_overflow*/, uint8_t* out) {
  const float inverse_scale = 1.0f / out_qparams.scale;
  for (int64_t i = 0; i < count; ++i) {
    const float sum = DequantizeFma(a.data[i], a.qparams) +
                      DequantizeFma(b.data[i], b.qparams);
    out[i] = QuantizeSum(sum, relu, inverse_scale, out_qparams.zero_point);
  }
}

void AddFloats(const float* a, QuantizedOperand b, int64_t count, bool relu,
               QParams out_qparams, uint8_t* out) {
  const float inverse_scale = 1.0f / out_qparams.scale;
  for (int64_t i = 0; i < count; ++i) {
    const float sum = a[i] + DequantizeFma(b.data[i], b.qparams);
    out[i] = QuantizeSum(sum, relu, inverse_scale, out_qparams.zero_point);
  }
}

void Multiply(QuantizedOperand a, QuantizedOperand b, int64_t count, bool relu,
              QParams out_qparams, bool /*cannot_overflow*/, uint8_t* out) {
  const float multiplier =
      a.qparams.scale * b.qparams.scale * (1.0f / out_qparams.scale);
  const uint8_t zero = static_cast<uint8_t>(out_qparams.zero_point);
  for (int64_t i = 0; i < count; ++i) {
    const int32_t product =
        (a.data[i] - a.qparams.zero_point) * (b.data[i] - b.qparams.zero_point);
    const int32_t rounded =
        RoundToInt32(static_cast<float>(product) * multiplier);
    const uint8_t quantized =
        ClampTo<uint8_t>(WrappingAdd(rounded, out_qparams.zero_point));
    out[i] = relu ? std::max(quantized, zero) : quantized;
  }
}

void ScaleEach(const uint8_t* quantized, int64_t count, int32_t zero_point,
               const float* factors, const float* offsets,
               int32_t out_zero_point, uint8_t least, uint8_t* out) {
  for (int64_t i = 0; i < count; ++i) {
    const float steps = static_cast<float>(quantized[i] - zero_point);
    const float scaled = std::fma(factors[i], steps, offsets[i]);
    out[i] =
        std::max(QuantizeOne<uint8_t>(scaled, 1.0f, out_zero_point), least);
  }
}

template <typename Quantized>
void Clamp(const Quantized* quantized, int64_t count, Quantized min,
           Quantized max, Quantized* out) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = std::min(std::max(quantized[i], min), max);
  }
}

void LookUp(ByteRows quantized, const uint8_t* table, uint8_t* out,
            int64_t out_stride) {
  for (int64_t row = 0; row < quantized.rows; ++row) {
    for (int64_t i = 0; i < quantized.row_bytes; ++i) {
      out[row * out_stride + i] =
          table[quantized.data[row * quantized.stride + i]];
    }
  }
}

void MinMax(const float* values, int64_t count, float* min, float* max) {
  for (int64_t i = 0; i < count; ++i) {
    *min = values[i] < *min ? values[i] : *min;
    *max = values[i] > *max ? values[i] : *max;
  }
}

uint32_t Sum(const uint8_t* quantized, int64_t count) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += quantized[i];
  }
  return sum;
}

}  // namespace

const ElementwiseKernels kScalarElementwise = {
    Quantize<uint8_t>,
    Quantize<int8_t>,
    QuantizeShifted,
    QuantizeEach<uint8_t>,
    QuantizeEach<int8_t>,
    Dequantize<uint8_t>,
    Dequantize<int8_t>,
    DequantizeEach<uint8_t>,
    DequantizeEach<int8_t>,
    Add,
    AddFloats,
    Multiply,
    ScaleEach,
    Clamp<uint8_t>,
    Clamp<int8_t>,
    LookUp,
    MinMax,
    Sum,
};

}  // namespace ns::kernels
