// Computes quantized convolutions of 1, 2 and 3 dimensions, transposed ones
// too, over channels-last tensors:
//
//   // Once for a layer, here one of 3x3 on images.
//   ConvShape shape;
//   shape.in_channels = 32;
//   shape.out_channels = 64;
//   shape.kernel = {1, 3, 3};
//   shape.padding = {0, 1, 1};
//   // InvalidConv(shape) is null now, or says what is wrong.
//   const PackedConv conv(shape, weights, SaturationMode::kExact);
//   // Once for the qparams of inputs, weights and outputs.
//   const OutputPlan plan = PlanOutput(spec, conv.column_sums(), conv.k());
//   // For each input.
//   const Dims size = {1, height, width};
//   const Dims out_size = ConvOutput(shape, size);
//   std::vector<uint8_t> out(batch * out_size[0] * out_size[1] * out_size[2] *
//                            shape.out_channels);  // `spec.type` is kU8
//   Conv(input, batch, size, conv, plan, out.data(), Serial);
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
  // Precondition, which is not checked: InvalidConv(shape) is null.
  //
  // `weights` is dense, in LibTorch's order: [out][in / groups][depth][height]
  // [width], or, transposed, [in][out / groups][depth][height][width], where
  // the last three are the size of the kernel. It is copied. `mode` says which
  // sums of products saturate.
  PackedConv(const ConvShape& shape, const int8_t* weights,
             SaturationMode mode);
  ~PackedConv();
  PackedConv(PackedConv&&) noexcept;
  PackedConv& operator=(PackedConv&&) noexcept;

  const ConvShape& shape() const;
  SaturationMode saturation_mode() const;
  // What PlanOutput takes: the sum of the weights of each output channel, and
  // how many weights each output channel has.
  absl::Span<const int32_t> column_sums() const;
  int64_t k() const;

 private:
  friend void Conv(const uint8_t* input, int64_t batch, const Dims& size,
                   const PackedConv& conv, const OutputPlan& plan, void* out,
                   Parallel parallel);
  struct Body;
  std::unique_ptr<Body> body_;
};

// Runs `conv` on a batch of inputs of `size`: depth, height and width. `input`
// is [batch][depth][height][width][in_channels]. `out` is [batch][out_depth]
// [out_height][out_width][out_channels], where the three in the middle are
// ConvOutput(conv.shape(), size) (conv_shape.h) and each element has the plan's
// type: OutputSize(plan.type) bytes. Both are dense, and may not overlap.
//
// `plan` is PlanOutput(spec, conv.column_sums(), conv.k()). What lies outside
// the input counts as the activations' zero point, which is that of `spec`.
// Preconditions, which are not checked: `size` and the size of the output are
// at least 1 in each dimension. `batch` may be 0.
void Conv(const uint8_t* input, int64_t batch, const Dims& size,
          const PackedConv& conv, const OutputPlan& plan, void* out,
          Parallel parallel);

// The reference that Conv is tested against: the definition, in one thread. It
// takes `shape`, `weights` and `mode` as PackedConv does, and the others, with
// the same preconditions, as Conv does.
void ConvReference(const uint8_t* input, int64_t batch, const Dims& size,
                   const ConvShape& shape, const int8_t* weights,
                   SaturationMode mode, const OutputPlan& plan, void* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_CONV_H_
