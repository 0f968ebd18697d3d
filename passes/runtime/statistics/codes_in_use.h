// Records which quantized values a tensor of 8 bits uses.
//
// It does not record how often each occurs: a counter for each would be a store
// for every element, which took a quarter of the time of comparing
// mobilenet_v2.
#ifndef PASSES_RUNTIME_STATISTICS_CODES_IN_USE_H_
#define PASSES_RUNTIME_STATISTICS_CODES_IN_USE_H_

#include <cstdint>

namespace ns {

// The quantized values that occur, as unsigned bytes: for qint8, the value +
// 128. Mergeable: the use of the parts is that of the whole.
struct CodesInUse {
  static constexpr int kBytes = 32;

  int64_t total = 0;  // The number of elements.
  // The numbers of elements at the lowest and the highest quantized value there
  // is. Those that were clipped are among them.
  int64_t at_lowest = 0;
  int64_t at_highest = 0;
  // A bit for each quantized value q, where vector instructions that look up 16
  // bytes find it: bit (q / 16) % 8 of byte q % 16, plus 16 from q = 128 on.
  uint8_t used[kBytes] = {};

  // Adds `count` bytes; `flip_sign` says that they are quantized values with a
  // sign.
  void Add(const uint8_t* bytes, int64_t count, bool flip_sign);
  // Sets the bits of those of 64 `codes` that have a one in `which`, from its
  // lowest bit on, and counts none of them.
  void MarkUsed(const uint8_t* codes, uint64_t which);

  void Merge(const CodesInUse& other);
  bool operator==(const CodesInUse& other) const;

  bool IsUsed(uint8_t code) const;
  // Returns how many of the 256 quantized values do not occur.
  int64_t Unused() const;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_CODES_IN_USE_H_
