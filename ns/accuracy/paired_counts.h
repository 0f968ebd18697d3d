// Counts how well two models classify the same labelled samples.
#ifndef NS_ACCURACY_PAIRED_COUNTS_H_
#define NS_ACCURACY_PAIRED_COUNTS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ns {

// What two models make of the same labelled samples.
struct PairedCounts {
  // Adds samples: tensors of booleans, [samples], that say which of them the
  // float and the quantized model put into their class.
  void Add(const at::Tensor& float_is_right,
           const at::Tensor& quantized_is_right);

  // Of top-1, in points (percent of the samples).
  double drop() const {
    return 100.0 * static_cast<double>(lost - won) /
           static_cast<double>(samples);
  }

  int64_t samples = 0;
  int64_t float_correct = 0;
  int64_t quantized_correct = 0;
  // Right in float and wrong when quantized; and the other way round.
  int64_t lost = 0;
  int64_t won = 0;
};

}  // namespace ns

#endif  // NS_ACCURACY_PAIRED_COUNTS_H_
