// The inner loops of elementwise kernels in each instruction set. The functions
// of the other headers are made of them.
#ifndef PASSES_KERNELS_ELEMENTWISE_KERNELS_H_
#define PASSES_KERNELS_ELEMENTWISE_KERNELS_H_

#include <cstdint>

#include "passes/kernels/qparams.h"

// No absl and no std here: files of other instruction sets include this.
namespace ns::kernels {

// `rows` rows of `row_bytes` bytes that begin `stride` bytes from each other.
struct ByteRows {
  const uint8_t* data = nullptr;
  int64_t stride = 0;
  int64_t rows = 0;
  int64_t row_bytes = 0;
};

// All of these work in the calling thread, over any count of elements anywhere
// in memory. What they compute is said at the functions of the same names.
struct ElementwiseKernels {
  void (*quantize_u8)(const float* values, int64_t count, QParams qparams,
                      uint8_t* quantized);
  void (*quantize_s8)(const float* values, int64_t count, QParams qparams,
                      int8_t* quantized);
  void (*quantize_shifted)(const float* values, int64_t count,
                           float inverse_scale, float zero_point,
                           uint8_t* quantized);
  // These take qparams for each element; scales come as 1 / scale.
  void (*quantize_each_u8)(const float* values, int64_t count,
                           const float* inverse_scales,
                           const int32_t* zero_points, uint8_t* quantized);
  void (*quantize_each_s8)(const float* values, int64_t count,
                           const float* inverse_scales,
                           const int32_t* zero_points, int8_t* quantized);
  void (*dequantize_u8)(const uint8_t* quantized, int64_t count,
                        QParams qparams, float* values);
  void (*dequantize_s8)(const int8_t* quantized, int64_t count, QParams qparams,
                        float* values);
  void (*dequantize_each_u8)(const uint8_t* quantized, int64_t count,
                             const float* scales, const int32_t* zero_points,
                             float* values);
  void (*dequantize_each_s8)(const int8_t* quantized, int64_t count,
                             const float* scales, const int32_t* zero_points,
                             float* values);
  // `cannot_overflow`: the output's scale is positive, and all results are less
  // than 2^30 steps of it, so that nothing overflows or wraps.
  void (*add)(QuantizedOperand a, QuantizedOperand b, int64_t count, bool relu,
              QParams out_qparams, bool cannot_overflow, uint8_t* out);
  void (*add_floats)(const float* a, QuantizedOperand b, int64_t count,
                     bool relu, QParams out_qparams, uint8_t* out);
  void (*multiply)(QuantizedOperand a, QuantizedOperand b, int64_t count,
                   bool relu, QParams out_qparams, bool cannot_overflow,
                   uint8_t* out);
  // Takes a factor and an offset for each element.
  void (*scale_each)(const uint8_t* quantized, int64_t count,
                     int32_t zero_point, const float* factors,
                     const float* offsets, int32_t out_zero_point,
                     uint8_t least, uint8_t* out);
  void (*clamp_u8)(const uint8_t* quantized, int64_t count, uint8_t min,
                   uint8_t max, uint8_t* out);
  void (*clamp_s8)(const int8_t* quantized, int64_t count, int8_t min,
                   int8_t max, int8_t* out);
  // `table` is of 256 bytes.
  void (*look_up)(ByteRows quantized, const uint8_t* table, uint8_t* out,
                  int64_t out_stride);
  // Lowers *min and raises *max to what the values reach. Nans do not count.
  void (*min_max)(const float* values, int64_t count, float* min, float* max);
  // Adds up fewer than 2^24 quantized values.
  uint32_t (*sum)(const uint8_t* quantized, int64_t count);
};

// The kernels of ChosenIsa().
const ElementwiseKernels& ChosenElementwiseKernels();

// For ChosenElementwiseKernels. The scalar ones are the references of all.
extern const ElementwiseKernels kScalarElementwise;
extern const ElementwiseKernels kAvx2Elementwise;
extern const ElementwiseKernels kAvx512Elementwise;
void LookUpVbmi(ByteRows quantized, const uint8_t* table, uint8_t* out,
                int64_t out_stride);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_KERNELS_H_
