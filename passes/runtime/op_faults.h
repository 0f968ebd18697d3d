// Quantized ops that some releases of LibTorch compute wrongly.
#ifndef PASSES_RUNTIME_OP_FAULTS_H_
#define PASSES_RUNTIME_OP_FAULTS_H_

#include <c10/core/QEngine.h>

#include <cstdint>
#include <string>

namespace ns {

// A quantized convolution, as far as these faults depend on it.
struct QuantizedConvShape {
  bool is_transposed = false;
  int64_t in_channels = 1;
  int64_t out_channels = 1;
  int64_t groups = 1;
  // True if the kernel has one element.
  bool is_pointwise = false;
  // True if any stride is above 1, and if any padding, of the input or of the
  // output, is above 0.
  bool has_stride = false;
  bool has_padding = false;
  bool has_output_padding = false;
};

// What computes quantized ops.
struct OpEnvironment {
  // The major version of LibTorch.
  int torch_major = 1;
  at::QEngine engine = at::kONEDNN;
  // True if AVX2 is the best that oneDNN finds, without AVX-VNNI.
  bool has_plain_avx2 = false;
  bool has_avx512_vnni = false;
  // The number of threads within an op.
  int threads = 1;

  // The environment of this process, with `engine`.
  static OpEnvironment Here(at::QEngine engine);
};

enum class OpFault {
  kNone,
  // LibTorch 2, up to 2.14, transposes the weight of a transposed convolution
  // twice when it packs it for oneDNN. The output is noise unless a group has
  // as many input as output channels, or one of either.
  kTransposedWeight,
  // oneDNN's 1x1 kernel for AVX2 writes the same output from two threads if the
  // convolution has a stride and channels that leave 8 when divided by 16. Some
  // outputs are wrong, and others in each run. Seen with oneDNN 2.6 to 3.12.
  kStridedPointwise,
  // qnnpack writes the output of clamp, hardtanh and relu6 in the order of the
  // input's memory, and takes it for one whose channels are not last. With
  // channels last, as its convolutions give them, the values are all there, in
  // other places. Seen with LibTorch 1.13 to 2.11.
  kClampOfChannelsLast,
};

// Returns the fault that `conv` meets in `environment`.
OpFault FaultOf(const QuantizedConvShape& conv,
                const OpEnvironment& environment);

// Returns the fault that a clamp, hardtanh or relu6 of a tensor with channels
// last meets in `environment`.
OpFault FaultOfClamp(const OpEnvironment& environment);

// Returns what LibTorch does wrong, as the end of a sentence that begins with
// the name of a layer: "is a transposed convolution with ...". `fault` is not
// kNone.
std::string FaultText(OpFault fault);

}  // namespace ns

#endif  // PASSES_RUNTIME_OP_FAULTS_H_
