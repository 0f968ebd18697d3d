#include "passes/kernels/elementwise/look_up.h"

#include <cmath>

#include "passes/kernels/elementwise/for_pieces.h"
#include "passes/kernels/elementwise/kernels.h"

namespace ns::kernels {
namespace {

float Read(int quantized, QParams qparams, DequantizeFormula reading) {
  if (reading == DequantizeFormula::kSubtract) {
    return qparams.scale * static_cast<float>(quantized - qparams.zero_point);
  }
  const float zero = qparams.scale * -static_cast<float>(qparams.zero_point);
  return std::fma(qparams.scale, static_cast<float>(quantized), zero);
}

}  // namespace

LookUpTable MakeTable(absl::FunctionRef<float(float)> function, QParams in,
                      QParams out, DequantizeFormula reading) {
  float values[256];
  for (int quantized = 0; quantized < 256; ++quantized) {
    values[quantized] = function(Read(quantized, in, reading));
  }
  LookUpTable table;
  ChosenElementwiseKernels().quantize_u8(values, 256, out, table.data());
  return table;
}

void LookUp(const uint8_t* quantized, int64_t count, const LookUpTable& table,
            uint8_t* out, Parallel parallel) {
  const auto look_up = ChosenElementwiseKernels().look_up;
  ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
    look_up({quantized + begin, size, 1, size}, table.data(), out + begin,
            size);
  });
}

}  // namespace ns::kernels
