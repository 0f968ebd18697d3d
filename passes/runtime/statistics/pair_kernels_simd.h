// Implements the loops of the vector kernels, once for all instruction sets.
//
// Each is a template over a class `V` of an instruction set, which holds its
// vectors and their operations. `V` is local to the file that includes this
// header, and so are the instances of these templates: files are compiled with
// different flags, and none may take the code of another. So this header
// contains nothing but templates.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_KERNELS_SIMD_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_KERNELS_SIMD_H_

#include <cstdint>

#include "passes/runtime/statistics/codes_in_use.h"
#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_simd_columns.h"
#include "passes/runtime/statistics/pair_simd_observers.h"
#include "passes/runtime/statistics/pair_simd_sums.h"
#include "passes/runtime/statistics/pair_simd_values.h"

namespace ns {

// Implements the functions of PairKernels.
template <typename V>
struct SimdKernels {
  // The functions for quantized values of one kind of format.
  template <bool kFlipSign, bool kHasRest>
  struct OfCodes {
    using Loader = CodeLoader<V, kFlipSign, kHasRest>;

    static PairBlock Codes(const float* x, const uint8_t* y,
                           const CodeFormat& format, int64_t count) {
      return Accumulate<V>(x, Loader(y, format),
                           CodeObserver<V, kFlipSign, kHasRest>(y, format),
                           count);
    }

    static PairBlock CodesAndUse(const float* x, const uint8_t* y,
                                 const CodeFormat& format, int64_t count,
                                 CodesInUse& use) {
      return Accumulate<V>(x, Loader(y, format),
                           UseObserver<V, kFlipSign, kHasRest>(y, format, use),
                           count);
    }

    static PairErrors CodeErrors(const float* x, const uint8_t* y,
                                 const CodeFormat& format, int64_t count) {
      return SumErrors<V>(x, Loader(y, format), count);
    }

    static void Dequantize(const uint8_t* codes, const CodeFormat& format,
                           int64_t count, float* values) {
      const Loader loader(codes, format);
      int64_t i = 0;
      for (; i + V::kLanes <= count; i += V::kLanes) {
        V::Store(values + i, loader.Load(i));
      }
      if (i < count) {
        const typename V::Lanes some = V::FirstLanes(count - i);
        V::Store(values + i, some, loader.Load(i, some));
      }
    }
  };

  template <typename Function>
  static Function Choose(const CodeFormat& format, Function plain,
                         Function flipping, Function with_rest,
                         Function with_both) {
    if (format.scale_rest == 0) {
      return format.flip_sign ? flipping : plain;
    }
    return format.flip_sign ? with_both : with_rest;
  }

  static PairBlock Codes(const float* x, const uint8_t* y,
                         const CodeFormat& format, int64_t count) {
    return Choose(format, OfCodes<false, false>::Codes,
                  OfCodes<true, false>::Codes, OfCodes<false, true>::Codes,
                  OfCodes<true, true>::Codes)(x, y, format, count);
  }

  static PairBlock CodesAndUse(const float* x, const uint8_t* y,
                               const CodeFormat& format, int64_t count,
                               CodesInUse& use) {
    return Choose(format, OfCodes<false, false>::CodesAndUse,
                  OfCodes<true, false>::CodesAndUse,
                  OfCodes<false, true>::CodesAndUse,
                  OfCodes<true, true>::CodesAndUse)(x, y, format, count, use);
  }

  static PairErrors CodeErrors(const float* x, const uint8_t* y,
                               const CodeFormat& format, int64_t count) {
    return Choose(format, OfCodes<false, false>::CodeErrors,
                  OfCodes<true, false>::CodeErrors,
                  OfCodes<false, true>::CodeErrors,
                  OfCodes<true, true>::CodeErrors)(x, y, format, count);
  }

  static void Dequantize(const uint8_t* codes, const CodeFormat& format,
                         int64_t count, float* values) {
    Choose(format, OfCodes<false, false>::Dequantize,
           OfCodes<true, false>::Dequantize, OfCodes<false, true>::Dequantize,
           OfCodes<true, true>::Dequantize)(codes, format, count, values);
  }

  static PairBlock Floats(const float* x, const float* y, int64_t count) {
    return Accumulate<V>(x, FloatLoader<V>(y), FloatObserver<V>(y[0]), count);
  }

  static PairErrors FloatErrors(const float* x, const float* y, int64_t count) {
    return SumErrors<V>(x, FloatLoader<V>(y), count);
  }

  static void Columns(const float* x, const float* y, int64_t rows,
                      int64_t columns, double* x2, double* e2) {
    AddColumns<V>(x, y, rows, columns, x2, e2);
  }

  static void DequantizeEach(const uint8_t* codes, bool flip_sign,
                             const double* scales, const int32_t* zero_points,
                             int64_t count, float* values) {
    const int32_t flip = flip_sign ? 0x80 : 0;
    for (int64_t i = 0; i < count; ++i) {
      const int32_t code = codes[i] ^ flip;
      values[i] = static_cast<float>((code - zero_points[i]) * scales[i]);
    }
  }

  static constexpr PairKernels Table(const char* isa) {
    return {isa,        Floats,  Codes,      CodesAndUse,   FloatErrors,
            CodeErrors, Columns, Dequantize, DequantizeEach};
  }
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_KERNELS_SIMD_H_
