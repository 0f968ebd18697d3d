#include "passes/kernels/elementwise/look_up.h"

#include <cmath>

#include "passes/kernels/elementwise/for_pieces.h"
#include "passes/kernels/elementwise/kernels.h"

namespace ns::kernels {
namespace {

float Read(int code, QParams qparams, CodeReading reading) {
  if (reading == CodeReading::kSubtract) {
    return qparams.scale * static_cast<float>(code - qparams.zero_point);
  }
  const float zero = qparams.scale * -static_cast<float>(qparams.zero_point);
  return std::fma(qparams.scale, static_cast<float>(code), zero);
}

}  // namespace

CodeTable MakeTable(absl::FunctionRef<float(float)> function, QParams in,
                    QParams out, CodeReading reading) {
  float values[256];
  for (int code = 0; code < 256; ++code) {
    values[code] = function(Read(code, in, reading));
  }
  CodeTable table;
  ChosenElementwiseKernels().quantize_u8(values, 256, out, table.data());
  return table;
}

void LookUp(const uint8_t* codes, int64_t count, const CodeTable& table,
            uint8_t* out, Parallel parallel) {
  const auto look_up = ChosenElementwiseKernels().look_up;
  ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
    look_up({codes + begin, size, 1, size}, table.data(), out + begin, size);
  });
}

}  // namespace ns::kernels
