#include "passes/kernels/isa.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace ns::kernels {
namespace {

struct IsaRow {
  Isa isa;
  const char* name;
};

constexpr IsaRow kIsas[] = {
    {Isa::kScalar, "scalar"},          {Isa::kAvx2, "avx2"},
    {Isa::kAvxVnni, "avx_vnni"},       {Isa::kAvx512, "avx512"},
    {Isa::kAvx512Vnni, "avx512_vnni"}, {Isa::kAmx, "amx"},
};
static_assert(std::size(kIsas) == kIsaCount);

bool HasAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool HasAvx512() {
  return HasAvx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

// clang 14's __builtin_cpu_supports knows neither AVX-VNNI nor AMX.
bool HasCpuidBit(uint32_t leaf, uint32_t subleaf, bool edx, int bit) {
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t d = 0;
  if (__get_cpuid_count(leaf, subleaf, &a, &b, &c, &d) == 0) {
    return false;
  }
  return (((edx ? d : a) >> bit) & 1) != 0;
}

bool HasAvxVnni() { return HasAvx2() && HasCpuidBit(7, 1, false, 4); }

bool HasAvx512Vnni() {
  return HasAvx512() && __builtin_cpu_supports("avx512vnni");
}

// Linux gives a process the state of tiles only when it asks for it.
bool HasAmx() {
  static const bool has_amx = [] {
    constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
    constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
    return HasAvx512Vnni() && HasCpuidBit(7, 0, true, 24) &&
           HasCpuidBit(7, 0, true, 25) &&
           syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  }();
  return has_amx;
}

Isa IsaOfEnvironment() {
  const Isa fastest = FastestIsa(Isa::kAmx);
  const char* name = std::getenv("NS_KERNEL_ISA");
  if (name == nullptr || *name == '\0') {
    return fastest;
  }
  const std::optional<Isa> asked = FindIsa(name);
  if (!asked.has_value()) {
    std::fprintf(stderr,
                 "ns: NS_KERNEL_ISA=%s is none of scalar, avx2, avx_vnni, "
                 "avx512, avx512_vnni, amx; using %s\n",
                 name, IsaName(fastest));
    return fastest;
  }
  const Isa isa = FastestIsa(*asked);
  if (isa != *asked) {
    std::fprintf(stderr,
                 "ns: this machine does not support NS_KERNEL_ISA=%s; using "
                 "%s\n",
                 name, IsaName(isa));
  }
  return isa;
}

std::atomic<Isa>& Chosen() {
  static std::atomic<Isa> chosen = IsaOfEnvironment();
  return chosen;
}

}  // namespace

const char* IsaName(Isa isa) { return kIsas[static_cast<int>(isa)].name; }

std::optional<Isa> FindIsa(std::string_view name) {
  for (const IsaRow& row : kIsas) {
    if (name == row.name) {
      return row.isa;
    }
  }
  return std::nullopt;
}

bool IsSupported(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return true;
    case Isa::kAvx2:
      return HasAvx2();
    case Isa::kAvxVnni:
      return HasAvxVnni();
    case Isa::kAvx512:
      return HasAvx512();
    case Isa::kAvx512Vnni:
      return HasAvx512Vnni();
    case Isa::kAmx:
      return HasAmx();
  }
  return false;
}

bool HasVnni() {
  return IsSupported(Isa::kAvxVnni) || IsSupported(Isa::kAvx512Vnni);
}

std::vector<Isa> SupportedIsas() {
  std::vector<Isa> supported;
  for (const IsaRow& row : kIsas) {
    if (IsSupported(row.isa)) {
      supported.push_back(row.isa);
    }
  }
  return supported;
}

Isa FastestIsa(Isa at_most) {
  Isa fastest = Isa::kScalar;
  for (const IsaRow& row : kIsas) {
    if (row.isa <= at_most && IsSupported(row.isa)) {
      fastest = row.isa;
    }
  }
  return fastest;
}

Isa ChosenIsa() { return Chosen().load(std::memory_order_relaxed); }

ScopedIsa::ScopedIsa(Isa isa) : previous_(Chosen().exchange(isa)) {}

ScopedIsa::~ScopedIsa() { Chosen().store(previous_); }

}  // namespace ns::kernels
