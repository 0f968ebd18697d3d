// Recognizes a tensor that is another one with two axes exchanged.
#ifndef PASSES_RUNTIME_STATISTICS_EXCHANGED_AXES_H_
#define PASSES_RUNTIME_STATISTICS_EXCHANGED_AXES_H_

#include <cstdint>
#include <optional>

namespace at {
class Tensor;
}  // namespace at

namespace ns {

// Two axes, first < second, and the SQNR in dB that y has against x once they
// are exchanged; +inf where the two are equal then.
struct ExchangedAxes {
  int64_t first = 0;
  int64_t second = 0;
  double sqnr_db = 0;
};

// Below this SQNR, in dB, exchanged axes may be what makes the error.
inline constexpr double kExchangeBelowDb = 3;

// Returns the two axes of `y` that are exchanged against `x`: with them changed
// back it has the shape of `x`, an SQNR of 10 dB or more, and one that is 20 dB
// or more above that of `y` as it is, where the shapes are the same. Of several
// pairs, the one with the highest SQNR. Absent where there is none, for tensors
// of fewer than 2 or more than 6 axes, and for those that are no dense tensors
// of numbers. Looks at 4096 elements at most, but dequantizes all of `y`.
std::optional<ExchangedAxes> FindExchangedAxes(const at::Tensor& x,
                                               const at::Tensor& y);

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_EXCHANGED_AXES_H_
