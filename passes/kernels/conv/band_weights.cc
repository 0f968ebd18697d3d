#include "passes/kernels/conv/band_weights.h"

#include <algorithm>
#include <vector>

#include "passes/kernels/conv/conv_phase.h"
#include "passes/kernels/gemm/packed_matrix.h"

namespace ns::kernels {
namespace {

// Costs are in steps of a GEMM: the time to multiply PackedMatrix::kStep inputs
// of a row by the weights of a panel. They were measured with AVX512-VNNI.
// Where a step takes longer, bands are even better than estimated.
//
// To start a row of a GEMM and to write its outputs.
constexpr int64_t kRowCost = 7;
// To copy a row of inputs and a row of outputs if the last band of a row is
// incomplete: a fixed cost, and one step for so many bytes of inputs.
constexpr int64_t kCopyCost = 64;
constexpr int64_t kCopiedBytes = 16;
// To plan the bands.
constexpr int64_t kPlanCost = 450;
// A GEMM with fewer rows takes as long as one with this many.
constexpr int64_t kLeastRows = 5;

int64_t DivideRoundingUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The cost of a row of a GEMM for a convolution of `shape`.
int64_t RowCost(const ConvShape& shape) {
  return kRowCost + shape.kernel[0] * shape.kernel[1] *
                        DivideRoundingUp(shape.kernel[2] * shape.in_channels,
                                         PackedMatrix::kStep);
}

// Whether bands cost less than pixels by more than the error of the estimates.
bool IsLower(int64_t bands, int64_t pixels) { return 5 * bands < 4 * pixels; }

int64_t PixelsOfBand(const ConvShape& shape) {
  return PackedMatrix::kPanel / shape.out_channels;
}

ConvShape ShapeOfBands(const ConvShape& shape) {
  const int64_t pixels = PixelsOfBand(shape);
  ConvShape bands = shape;
  bands.out_channels = pixels * shape.out_channels;
  bands.kernel[2] = shape.kernel[2] + (pixels - 1) * shape.stride[2];
  bands.stride[2] = pixels * shape.stride[2];
  return bands;
}

// The weights of the convolution `bands`, in LibTorch's order: each kernel row
// of `weights`, once for each pixel, moved by the stride.
std::vector<int8_t> WeightsOfBands(const ConvShape& shape,
                                   const ConvShape& bands,
                                   const int8_t* weights) {
  const int64_t width = shape.kernel[2];
  const int64_t band_width = bands.kernel[2];
  // Kernel rows of an output channel.
  const int64_t rows = shape.in_channels * shape.kernel[0] * shape.kernel[1];
  std::vector<int8_t> result(bands.out_channels * rows * band_width);
  for (int64_t channel = 0; channel < bands.out_channels; ++channel) {
    const int64_t pixel = channel / shape.out_channels;
    const int64_t from = channel % shape.out_channels * rows;
    for (int64_t row = 0; row < rows; ++row) {
      std::copy_n(weights + (from + row) * width, width,
                  result.begin() + (channel * rows + row) * band_width +
                      pixel * shape.stride[2]);
    }
  }
  return result;
}

PhaseWeights PackBands(const ConvShape& shape, const ConvShape& bands,
                       const int8_t* weights) {
  return PhaseWeights(bands, ConvPhases(bands, /*one_phase=*/false)[0],
                      WeightsOfBands(shape, bands, weights).data(),
                      /*saturates=*/false);
}

template <typename T>
std::vector<T> Repeat(const std::vector<T>& values, int64_t times) {
  std::vector<T> repeated;
  repeated.reserve(values.size() * times);
  for (int64_t i = 0; i < times; ++i) {
    repeated.insert(repeated.end(), values.begin(), values.end());
  }
  return repeated;
}

}  // namespace

bool BandWeights::Takes(const ConvShape& shape) {
  return !shape.transposed && shape.groups == 1 && shape.dilation[2] == 1 &&
         2 * shape.out_channels <= PackedMatrix::kPanel &&
         IsLower(RowCost(ShapeOfBands(shape)),
                 PixelsOfBand(shape) * RowCost(shape));
}

BandWeights::BandWeights(const ConvShape& shape, const int8_t* weights)
    : pixels_(PixelsOfBand(shape)),
      pixel_cost_(RowCost(shape)),
      shape_(ShapeOfBands(shape)),
      weights_(PackBands(shape, shape_, weights)) {}

bool BandWeights::AreFaster(int64_t batch, const Dims& outputs) const {
  const int64_t rows = batch * outputs[0] * outputs[1];
  const int64_t bands = DivideRoundingUp(outputs[2], pixels_);
  int64_t cost =
      kPlanCost + std::max(rows * bands, kLeastRows) * RowCost(shape_);
  if (outputs[2] % pixels_ != 0) {
    const int64_t copied =
        shape_.stride[1] * bands * shape_.stride[2] * shape_.in_channels;
    cost += rows * (kCopyCost + copied / kCopiedBytes);
  }
  return IsLower(cost, std::max(rows * outputs[2], kLeastRows) * pixel_cost_);
}

OutputPlan BandWeights::PlanBands(const OutputPlan& plan) const {
  OutputPlan bands = plan;
  bands.channels = pixels_ * plan.channels;
  bands.start = Repeat(plan.start, pixels_);
  bands.addend = Repeat(plan.addend, pixels_);
  bands.multiplier = Repeat(plan.multiplier, pixels_);
  return bands;
}

}  // namespace ns::kernels
