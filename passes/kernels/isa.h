// Chooses the instruction set that kernels run in, and the function of a kernel
// that is made for it.
#ifndef PASSES_KERNELS_ISA_H_
#define PASSES_KERNELS_ISA_H_

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace ns::kernels {

// The last one that a processor supports is its fastest. Every kernel gives the
// same bits in all of them.
enum class Isa {
  kScalar,      // plain C++: the readable reference
  kAvx2,        // AVX2 and FMA
  kAvxVnni,     // AVX2 and the 256-bit vpdpbusd
  kAvx512,      // AVX512F, BW, DQ and VL
  kAvx512Vnni,  // kAvx512 and the 512-bit vpdpbusd
  kAmx,         // kAvx512Vnni and tiles of int8
};
inline constexpr int kIsaCount = 6;

// The widest instruction set that every processor with `isa` supports, too:
// not all with kAvx512 support kAvxVnni. That of kScalar is itself.
constexpr Isa IsaBelow(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
    case Isa::kAvx2:
      return Isa::kScalar;
    case Isa::kAvxVnni:
    case Isa::kAvx512:
      return Isa::kAvx2;
    case Isa::kAvx512Vnni:
      return Isa::kAvx512;
    case Isa::kAmx:
      return Isa::kAvx512Vnni;
  }
  return Isa::kScalar;
}

// "scalar", "avx2", "avx_vnni", "avx512", "avx512_vnni", "amx".
const char* IsaName(Isa isa);
std::optional<Isa> FindIsa(std::string_view name);

// Whether this processor and its operating system run it. The first question
// about kAmx asks Linux for the permission to use tiles.
bool IsSupported(Isa isa);

// Whether this processor adds products of int8 without saturating: it has
// kAvxVnni or kAvx512Vnni.
bool HasVnni();

// Those that IsSupported is true of, in order of the enum.
std::vector<Isa> SupportedIsas();

// The last supported one up to `at_most`.
Isa FastestIsa(Isa at_most);

// The one kernels run in: what the environment variable NS_KERNEL_ISA names, or
// the fastest. The variable is read once. A name that is unknown, or that this
// machine does not support, gives the fastest there is up to it (an unknown
// one: of all) and one line of warning on standard error.
Isa ChosenIsa();

// The implementations of a kernel: what is called, or a table of it, for each
// instruction set.
//
//   constexpr IsaTable<RowKernel> kRowKernels = {{Isa::kAvx2, GemmRowsAvx2},
//                                                {Isa::kAvx512, ...}};
//   const RowKernel kernel = kRowKernels.Chosen();
//
// An instruction set without a row has what IsaBelow it has. `T` is cheap to
// copy, as a pointer is; T() stands for the reference and is what kScalar has
// where no row says something else.
template <typename T>
class IsaTable {
 public:
  struct Row {
    Isa isa;
    T implementation;
  };

  constexpr IsaTable(std::initializer_list<Row> rows) {
    for (int i = 0; i < kIsaCount; ++i) {
      const Isa isa = static_cast<Isa>(i);
      implementations_[i] = implementations_[static_cast<int>(IsaBelow(isa))];
      for (const Row& row : rows) {
        if (row.isa == isa) {
          implementations_[i] = row.implementation;
        }
      }
    }
  }

  constexpr T For(Isa isa) const {
    return implementations_[static_cast<int>(isa)];
  }
  T Chosen() const { return For(ChosenIsa()); }

 private:
  T implementations_[kIsaCount] = {};
};

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
