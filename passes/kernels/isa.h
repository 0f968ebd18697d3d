// Which instruction set kernels run in.
#ifndef PASSES_KERNELS_ISA_H_
#define PASSES_KERNELS_ISA_H_

#include <optional>
#include <string_view>
#include <vector>

namespace ns::kernels {

// In order of preference, the last first. Every kernel gives the same bits in
// all of them.
enum class Isa {
  kScalar,      // the readable reference
  kAvx2,        // AVX2 and FMA
  kAvxVnni,     // AVX2 and the 256-bit vpdpbusd
  kAvx512,      // AVX512F, BW, DQ and VL
  kAvx512Vnni,  // kAvx512 and the 512-bit vpdpbusd
  kAmx,         // kAvx512Vnni and tiles of int8
};

// "scalar", "avx2", "avx_vnni", "avx512", "avx512_vnni", "amx".
const char* IsaName(Isa isa);
std::optional<Isa> FindIsa(std::string_view name);

// Whether this processor and its operating system run it. The first question
// about kAmx asks Linux for the permission to use tiles.
bool IsSupported(Isa isa);

// All that are, in order of the enum.
std::vector<Isa> SupportedIsas();

// The last supported one up to `at_most`.
Isa FastestIsa(Isa at_most);

// The one kernels run in: what the environment variable NS_KERNEL_ISA names, or
// the fastest. Read once. A name that is unknown, or that this machine does not
// support, gives the fastest there is up to it (an unknown one: of all) and one
// line of warning on standard error.
Isa ChosenIsa();

// While it lives, another is the chosen one: for tests and benchmarks. It must
// be supported.
class ScopedIsa {
 public:
  explicit ScopedIsa(Isa isa);
  ~ScopedIsa();
  ScopedIsa(const ScopedIsa&) = delete;
  ScopedIsa& operator=(const ScopedIsa&) = delete;

 private:
  Isa previous_;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ISA_H_
