#include "passes/runtime/op_faults.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <cstdlib>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "passes/kernels/isa.h"

namespace ns {
namespace {

using kernels::Isa;

// oneDNN's vectors of AVX2 hold 8 channels, and its blocks 16.
constexpr int64_t kVector = 8;
constexpr int64_t kBlock = 16;

// Returns the highest instruction set that the user allows oneDNN, in its own
// names; empty for all.
std::string LimitOfOneDnn() {
  for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"}) {
    if (const char* value = std::getenv(name)) {
      return absl::AsciiStrToUpper(value);
    }
  }
  return "";
}

bool HasPlainAvx2() {
  const std::string limit = LimitOfOneDnn();
  const auto is_below = [&](const auto& names) {
    return absl::c_any_of(
        names, [&](absl::string_view name) { return name == limit; });
  };
  constexpr absl::string_view kBelowAvx2[] = {"SSE41", "AVX"};
  constexpr absl::string_view kBelowVnni[] = {"SSE41", "AVX", "AVX2"};
  constexpr absl::string_view kBelowAvx512[] = {"SSE41", "AVX", "AVX2",
                                                "AVX2_VNNI", "AVX2_VNNI_2"};
  return kernels::IsSupported(Isa::kAvx2) && !is_below(kBelowAvx2) &&
         (!kernels::IsSupported(Isa::kAvxVnni) || is_below(kBelowVnni)) &&
         (!kernels::IsSupported(Isa::kAvx512) || is_below(kBelowAvx512));
}

// The engine x86 gives to oneDNN what its own kernels do not compute faster.
bool IsOfOneDnn(const QuantizedConvShape& conv,
                const OpEnvironment& environment) {
  constexpr int64_t kMostGroups = 100;
  return environment.engine == at::kONEDNN ||
         (environment.engine == at::kX86 && environment.has_avx512_vnni &&
          conv.groups <= kMostGroups && !conv.has_output_padding);
}

}  // namespace

OpEnvironment OpEnvironment::Here(at::QEngine engine) {
  OpEnvironment here;
  here.torch_major = TORCH_VERSION_MAJOR;
  here.engine = engine;
  here.has_plain_avx2 = HasPlainAvx2();
  here.has_avx512_vnni = kernels::IsSupported(Isa::kAvx512Vnni);
  here.threads = at::get_num_threads();
  return here;
}

OpFault FaultOf(const QuantizedConvShape& conv,
                const OpEnvironment& environment) {
  if (!IsOfOneDnn(conv, environment)) {
    return OpFault::kNone;
  }
  if (conv.is_transposed) {
    const bool is_wrong =
        environment.torch_major >= 2 && conv.in_channels != conv.out_channels &&
        conv.in_channels > conv.groups && conv.out_channels > conv.groups;
    return is_wrong ? OpFault::kTransposedWeight : OpFault::kNone;
  }
  const bool is_wrong = environment.has_plain_avx2 && environment.threads > 1 &&
                        conv.is_pointwise && conv.has_stride &&
                        !conv.has_padding && conv.groups == 1 &&
                        conv.in_channels % kBlock == kVector;
  return is_wrong ? OpFault::kStridedPointwise : OpFault::kNone;
}

OpFault FaultOfClamp(const OpEnvironment& environment) {
  return environment.engine == at::kQNNPACK ? OpFault::kClampOfChannelsLast
                                            : OpFault::kNone;
}

std::string FaultText(OpFault fault) {
  switch (fault) {
    case OpFault::kNone:
      return "";
    case OpFault::kTransposedWeight:
      return "is a transposed convolution with different numbers of input and "
             "output channels, which LibTorch 2 computes wrongly on oneDNN";
    case OpFault::kStridedPointwise:
      return "is a strided 1x1 convolution, with a number of channels for "
             "which oneDNN's threads overwrite each other's outputs on AVX2";
    case OpFault::kClampOfChannelsLast:
      return "clamps the output of a convolution, whose values LibTorch's "
             "qnnpack then puts in other places; ns lower makes a model "
             "without this fault";
  }
  return "";
}

}  // namespace ns
