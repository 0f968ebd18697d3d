// Computes quantized convolutions of 1, 2 and 3 dimensions over channels-last
// tensors.
#ifndef PASSES_KERNELS_CONV_CONV_H_
#define PASSES_KERNELS_CONV_CONV_H_

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "passes/kernels/conv_shape.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/saturation_mode.h"

namespace ns::kernels {

// A convolution with its weights, in the order its kernels read them: the same
// for all instruction sets.
class PackedConv {
 public:
  // `weights` is dense, in LibTorch's order: [out][in / groups][depth][height]
  // [width], or, transposed, [in][out / groups][depth][height][width].
  PackedConv(const ConvShape& shape, const int8_t* weights,
             SaturationMode mode);
  ~PackedConv();
  PackedConv(PackedConv&&) noexcept;
  PackedConv& operator=(PackedConv&&) noexcept;

  const ConvShape& shape() const;
  SaturationMode saturation_mode() const;
  // The sum of the weights of each output channel, and how many there are: what
  // PlanOutput takes.
  absl::Span<const int32_t> column_sums() const;
  int64_t k() const;

 private:
  friend void Conv(const uint8_t* input, int64_t batch, const Dims& size,
                   const PackedConv& conv, const OutputPlan& plan, void* out,
                   Parallel parallel);
  struct Body;
  std::unique_ptr<Body> body_;
};

// `input` is [batch][depth][height][width][in_channels] and `out` the same with
// out_channels, of the plan's type, both dense. What lies outside the input is
// the activations' zero point, which the plan was made with.
void Conv(const uint8_t* input, int64_t batch, const Dims& size,
          const PackedConv& conv, const OutputPlan& plan, void* out,
          Parallel parallel);

// The reference: the definition, from weights in LibTorch's order.
void ConvReference(const uint8_t* input, int64_t batch, const Dims& size,
                   const ConvShape& shape, const int8_t* weights,
                   SaturationMode mode, const OutputPlan& plan, void* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_CONV_H_
