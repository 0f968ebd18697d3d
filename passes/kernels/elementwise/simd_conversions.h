// The loops of simd_kernels.h between floats and quantized values. kernels.h
// says what they compute.
#ifndef PASSES_KERNELS_ELEMENTWISE_SIMD_CONVERSIONS_H_
#define PASSES_KERNELS_ELEMENTWISE_SIMD_CONVERSIONS_H_

#include <cstdint>

#include "passes/kernels/qparams.h"
#include "passes/kernels/simd/blocks.h"
#include "passes/kernels/simd/quantize.h"

namespace ns::kernels {

template <typename V, typename Quantized>
void Quantize(const float* values, int64_t count, QParams qparams,
              Quantized* quantized) {
  const auto inverse_scale = V::SetFloats(1.0f / qparams.scale);
  const auto zero_point = V::SetInts(qparams.zero_point);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto quantize = [=](int quarter) {
      const auto x = block.Load(values + i, quarter);
      return V::Add(RoundLimited<V>(V::Multiply(x, inverse_scale)), zero_point);
    };
    block.StoreBytes(quantized + i,
                     PackBytes<V, Quantized>(quantize(0), quantize(1),
                                             quantize(2), quantize(3)));
  });
}

template <typename V>
void QuantizeShifted(const float* values, int64_t count, float inverse_scale,
                     float zero_point, uint8_t* quantized) {
  const auto inverse_scales = V::SetFloats(inverse_scale);
  const auto zero_points = V::SetFloats(zero_point);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto quantize = [=](int quarter) {
      const auto x =
          V::Multiply(block.Load(values + i, quarter), inverse_scales);
      return RoundLimited<V>(V::Add(x, zero_points));
    };
    block.StoreBytes(quantized + i,
                     PackBytes<V, uint8_t>(quantize(0), quantize(1),
                                           quantize(2), quantize(3)));
  });
}

template <typename V, typename Quantized>
void QuantizeEach(const float* values, int64_t count,
                  const float* inverse_scales, const int32_t* zero_points,
                  Quantized* quantized) {
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto quantize = [=](int quarter) {
      const auto x = V::Multiply(block.Load(values + i, quarter),
                                 block.Load(inverse_scales + i, quarter));
      return V::Add(RoundLimited<V>(x), block.Load(zero_points + i, quarter));
    };
    block.StoreBytes(quantized + i,
                     PackBytes<V, Quantized>(quantize(0), quantize(1),
                                             quantize(2), quantize(3)));
  });
}

// Prefetches what is `bytes` bytes after `at`. That may be beyond the end of
// the array, so that the address is computed as an integer: such a pointer must
// not be made. Nothing is read.
static inline void PrefetchAhead(const float* at, int64_t bytes) {
  const uintptr_t ahead =
      reinterpret_cast<uintptr_t>(at) + static_cast<uintptr_t>(bytes);
  __builtin_prefetch(reinterpret_cast<const void*>(ahead), /*rw=*/0,
                     /*locality=*/3);
}

// values[i] = scale * (quantized[i] - zero_point). Four of five bytes that move
// are written, and their line must be in the cache first: prefetching it 2048
// bytes ahead saves up to half of the time where the output is not in L3.
template <typename V, typename Quantized>
void Dequantize(const Quantized* quantized, int64_t count, QParams qparams,
                float* values) {
  const auto scale = V::SetFloats(qparams.scale);
  const auto zero = V::ZeroPoint(qparams.zero_point, Quantized());
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    for (int quarter = 0; quarter < 4; ++quarter) {
      PrefetchAhead(values + i + quarter * V::kFloats, 2048);
      const auto steps = block.LoadSteps(quantized + i, quarter, zero);
      block.Store(values + i, quarter, V::Multiply(scale, steps));
    }
  });
}

template <typename V, typename Quantized>
void DequantizeEach(const Quantized* quantized, int64_t count,
                    const float* scales, const int32_t* zero_points,
                    float* values) {
  const auto no_zero = V::ZeroPoint(0, Quantized());
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    for (int quarter = 0; quarter < 4; ++quarter) {
      const auto zero = V::ToFloats(block.Load(zero_points + i, quarter));
      const auto steps =
          V::Subtract(block.LoadSteps(quantized + i, quarter, no_zero), zero);
      block.Store(values + i, quarter,
                  V::Multiply(block.Load(scales + i, quarter), steps));
    }
  });
}

// Lowers *min and raises *max, which the caller sets first, to what the values
// reach; a nan changes neither. There are four vectors of each: with one, every
// step would wait for the step before.
template <typename V>
void MinMax(const float* values, int64_t count, float* min, float* max) {
  typename V::Floats mins[4];
  typename V::Floats maxs[4];
  for (int quarter = 0; quarter < 4; ++quarter) {
    mins[quarter] = V::SetFloats(*min);
    maxs[quarter] = V::SetFloats(*max);
  }
  int64_t i = 0;
  for (; i + V::kBytes <= count; i += V::kBytes) {
    for (int quarter = 0; quarter < 4; ++quarter) {
      const auto x = V::Load(values + i + quarter * V::kFloats);
      // In this order, the old one stays where x is a nan.
      mins[quarter] = V::Min(x, mins[quarter]);
      maxs[quarter] = V::Max(x, maxs[quarter]);
    }
  }
  float lanes[2][V::kFloats];
  V::Store(lanes[0],
           V::Min(V::Min(mins[0], mins[1]), V::Min(mins[2], mins[3])));
  V::Store(lanes[1],
           V::Max(V::Max(maxs[0], maxs[1]), V::Max(maxs[2], maxs[3])));
  for (int64_t lane = 0; lane < V::kFloats; ++lane) {
    *min = lanes[0][lane] < *min ? lanes[0][lane] : *min;
    *max = lanes[1][lane] > *max ? lanes[1][lane] : *max;
  }
  for (; i < count; ++i) {
    *min = values[i] < *min ? values[i] : *min;
    *max = values[i] > *max ? values[i] : *max;
  }
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_SIMD_CONVERSIONS_H_
