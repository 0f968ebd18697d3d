#include "passes/kernels/numerics.h"

namespace ns::kernels {
namespace {

constexpr Numerics kAll[] = {Numerics::kExact, Numerics::kFbgemmVnni,
                             Numerics::kFbgemmAvx2};

}  // namespace

const char* NumericsName(Numerics numerics) {
  switch (numerics) {
    case Numerics::kExact:
      return "exact";
    case Numerics::kFbgemmVnni:
      return "fbgemm-vnni";
    case Numerics::kFbgemmAvx2:
      return "fbgemm-avx2";
  }
  return "";
}

std::optional<Numerics> FindNumerics(std::string_view name) {
  for (const Numerics numerics : kAll) {
    if (name == NumericsName(numerics)) {
      return numerics;
    }
  }
  return std::nullopt;
}

}  // namespace ns::kernels
