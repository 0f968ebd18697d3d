#include "passes/kernels/elementwise/requantize.h"

#include <algorithm>
#include <cstring>

#include "passes/kernels/elementwise/for_pieces.h"
#include "passes/kernels/elementwise/kernels.h"
#include "passes/kernels/elementwise/look_up.h"

namespace ns::kernels {
namespace {

constexpr int kQuantizedValues = 256;

LookUpTable RequantizeTable(QParams from, QParams to, uint8_t /*tag*/) {
  const ElementwiseKernels& kernels = ChosenElementwiseKernels();
  LookUpTable table;
  for (int i = 0; i < kQuantizedValues; ++i) {
    table[i] = static_cast<uint8_t>(i);
  }
  float values[kQuantizedValues];
  kernels.dequantize_u8(table.data(), kQuantizedValues, from, values);
  kernels.quantize_u8(values, kQuantizedValues, to, table.data());
  return table;
}

// Makes a table for the bytes of s8 quantized values.
LookUpTable RequantizeTable(QParams from, QParams to, int8_t /*tag*/) {
  const ElementwiseKernels& kernels = ChosenElementwiseKernels();
  int8_t quantized[kQuantizedValues];
  for (int i = 0; i < kQuantizedValues; ++i) {
    quantized[i] = static_cast<int8_t>(i);
  }
  float values[kQuantizedValues];
  kernels.dequantize_s8(quantized, kQuantizedValues, from, values);
  kernels.quantize_s8(values, kQuantizedValues, to, quantized);
  LookUpTable table;
  std::memcpy(table.data(), quantized, kQuantizedValues);
  return table;
}

}  // namespace

void RequantizeValues(const uint8_t* quantized, int64_t count, QParams from,
                      QParams to, uint8_t* out, Parallel parallel) {
  if (from == to) {
    ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
      std::memmove(out + begin, quantized + begin, static_cast<size_t>(size));
    });
    return;
  }
  LookUp(quantized, count, RequantizeTable(from, to, uint8_t()), out, parallel);
}

void RequantizeValues(const int8_t* quantized, int64_t count, QParams from,
                      QParams to, int8_t* out, Parallel parallel) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(quantized);
  auto* out_bytes = reinterpret_cast<uint8_t*>(out);
  if (from == to) {
    RequantizeValues(bytes, count, from, to, out_bytes, parallel);
    return;
  }
  LookUp(bytes, count, RequantizeTable(from, to, int8_t()), out_bytes,
         parallel);
}

void CopyRequantized(const uint8_t* src, int64_t src_stride, int64_t rows,
                     int64_t row_bytes, QParams from, uint8_t* dst,
                     int64_t dst_stride, QParams to, Parallel parallel,
                     DequantizeFormula reading) {
  if (row_bytes == 0) {
    return;
  }
  const int64_t grain = std::max<int64_t>(1, 32768 / row_bytes);
  if (from == to) {
    parallel(rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        std::memcpy(dst + row * dst_stride, src + row * src_stride,
                    static_cast<size_t>(row_bytes));
      }
    });
    return;
  }
  const auto look_up = ChosenElementwiseKernels().look_up;
  const LookUpTable table =
      reading == DequantizeFormula::kSubtract
          ? RequantizeTable(from, to, uint8_t())
          : MakeTable([](float x) { return x; }, from, to, reading);
  parallel(rows, grain, [&](int64_t begin, int64_t end) {
    look_up({src + begin * src_stride, src_stride, end - begin, row_bytes},
            table.data(), dst + begin * dst_stride, dst_stride);
  });
}

}  // namespace ns::kernels
