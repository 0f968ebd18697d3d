// Compares and changes the layouts of tensors in memory, so that two tensors of
// one shape can be read side by side.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_LAYOUT_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_LAYOUT_H_

#include <ATen/core/Tensor.h>

namespace ns {

// Whether `x` and `y`, of the same sizes, are dense and have their elements in
// the same order in memory. May be false for some that do.
bool HaveSameLayout(const at::Tensor& x, const at::Tensor& y);

// Replaces `x`, `y` or both, of the same sizes, by copies for which
// HaveSameLayout holds, if it does not hold already. Where one is contiguous
// and the other is channels-last, the one with smaller elements is copied, `y`
// where they are equal.
void BringToSameLayout(at::Tensor& x, at::Tensor& y);

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_LAYOUT_H_
