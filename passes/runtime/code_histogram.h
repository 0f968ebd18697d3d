// How often each code of a tensor quantized to 8 bits occurs.
#ifndef PASSES_RUNTIME_CODE_HISTOGRAM_H_
#define PASSES_RUNTIME_CODE_HISTOGRAM_H_

#include <array>
#include <cstdint>

namespace ns {

// Mergeable: counts of parts add up to those of the whole.
struct CodeHistogram {
  std::array<int64_t, 256> counts{};  // by code; of qint8 by code + 128

  void Merge(const CodeHistogram& other);

  int64_t Total() const;
  // How many elements have the lowest and the highest code: those that were
  // clamped are among them.
  int64_t AtLowest() const { return counts.front(); }
  int64_t AtHighest() const { return counts.back(); }
  // How many of the 256 codes occur nowhere.
  int64_t Unused() const;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_CODE_HISTOGRAM_H_
