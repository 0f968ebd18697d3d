// Compares and changes the layouts of tensors in memory.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_LAYOUT_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_LAYOUT_H_

#include <ATen/core/Tensor.h>

namespace ns {

// True when element i in memory of `x` and of `y` have the same indices.
bool HaveSameLayout(const at::Tensor& x, const at::Tensor& y);

// Brings both to the same layout. Where the channels of one are last and those
// of the other are not, the one with smaller elements is copied.
void BringToSameLayout(at::Tensor& x, at::Tensor& y);

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_LAYOUT_H_
