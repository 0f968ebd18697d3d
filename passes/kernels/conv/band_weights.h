// Packs the weights of a convolution with few output channels for GEMMs that
// compute several neighbouring outputs of a row at once.
#ifndef PASSES_KERNELS_CONV_BAND_WEIGHTS_H_
#define PASSES_KERNELS_CONV_BAND_WEIGHTS_H_

#include <cstdint>

#include "passes/kernels/conv/phase_weights.h"
#include "passes/kernels/conv_shape.h"
#include "passes/kernels/output_pipeline.h"

namespace ns::kernels {

// A GEMM computes PackedMatrix::kPanel outputs of a row of activations for the
// price of one. A convolution with fewer output channels fills the panel with a
// band: pixels() neighbouring pixels of an output row, which count as one pixel
// with pixels() * out_channels channels in the order [pixel][channel]. A band
// is computed from all inputs that any of its pixels needs, and each pixel has
// zero weights for the inputs that only the others need. For one channel, a
// kernel of 4, a stride of 1 and bands of two pixels:
//
//   inputs     a0  a1  a2  a3  a4
//   pixel 0    w0  w1  w2  w3   0
//   pixel 1     0  w0  w1  w2  w3
//
// A convolution by bands is therefore itself a convolution, with a longer
// stride, a wider kernel and more output channels. The matrix of its weights is
// banded.
class BandWeights {
 public:
  // Whether a convolution of `shape` can be computed by bands, and gains from
  // it if its outputs are large enough. It can unless it is transposed, has
  // more than one group, is dilated along a row, or has more output channels
  // than half a panel. It gains if neighbouring pixels share many inputs, or if
  // a pixel has so few inputs that a row of a GEMM costs more than its
  // products.
  static bool Takes(const ConvShape& shape);

  // Takes(shape) must be true. `weights` is dense, [out][in][depth][height]
  // [width], where the last three are the size of the kernel. It is copied.
  BandWeights(const ConvShape& shape, const int8_t* weights);

  int64_t pixels() const { return pixels_; }
  // The convolution by bands and its weights.
  const ConvShape& shape() const { return shape_; }
  const PhaseWeights& weights() const { return weights_; }

  // Whether bands are estimated to be faster than a GEMM of single pixels for
  // an output of this size: depth, height and width. They are not if most of a
  // band would lie outside the output, or if all of it takes about a
  // microsecond.
  bool AreFaster(int64_t batch, const Dims& outputs) const;
  // Returns the plan of the convolution by bands, made from the plan of the
  // convolution itself. The weights must not have zero points: these need the
  // sum of the inputs of each pixel, and a GEMM has only that of a whole band.
  OutputPlan PlanBands(const OutputPlan& plan) const;

 private:
  int64_t pixels_;
  int64_t pixel_cost_;  // of a single pixel, in the unit of band_weights.cc
  ConvShape shape_;
  PhaseWeights weights_;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_BAND_WEIGHTS_H_
