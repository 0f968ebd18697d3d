// Chooses the elements of a tensor that stand for all of them.
#ifndef PASSES_RUNTIME_STATISTICS_ELEMENT_SAMPLE_H_
#define PASSES_RUNTIME_STATISTICS_ELEMENT_SAMPLE_H_

#include <algorithm>
#include <cstdint>

namespace ns {

// A sample of `count` elements in a row: one of each window of stride()
// elements, which lies elsewhere in each window, so that no row, column or
// channel is preferred. The same `count` always has the same sample. It has all
// of fewer than 2 * kLeast elements, at least kLeast of more, and one in
// kMostStride of the largest tensors.
class ElementSample {
 public:
  static constexpr int64_t kLeast = 128;
  static constexpr int64_t kMostStride = 1024;

  explicit ElementSample(int64_t count)
      : stride_(std::clamp<int64_t>(count / kLeast, 1, kMostStride)) {}

  int64_t stride() const { return stride_; }

  // Returns the index of the element in window number `window`, from 0. It may
  // be `count` or more in the last window, which may be incomplete.
  int64_t ElementOf(int64_t window) const {
    // Knuth's multiplicative hash, of which the upper bits are mixed best.
    const auto mixed = static_cast<uint64_t>(window) * 0x9E3779B97F4A7C15;
    return window * stride_ +
           static_cast<int64_t>((mixed >> 33) % static_cast<uint64_t>(stride_));
  }

 private:
  int64_t stride_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_ELEMENT_SAMPLE_H_
