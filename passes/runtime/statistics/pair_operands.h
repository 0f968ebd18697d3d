// Reads the two tensors of a comparison piece by piece, as memory holds them.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_OPERANDS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_OPERANDS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "passes/runtime/statistics/pair_kernels.h"

namespace ns {

// Describes where memory holds elements with the same index along one
// dimension: `length` elements in a row, then those of the next index, and
// after `size` indices again those of the first.
struct MemoryRuns {
  int64_t size = 1;
  int64_t length = std::numeric_limits<int64_t>::max();

  int64_t IndexOf(int64_t element) const { return element / length % size; }
  int64_t LeftInRun(int64_t element) const { return length - element % length; }
};

// One of the two tensors. Plain values, and 8-bit quantized values per tensor
// and per channel, stay as they are until they are read; other quantized
// tensors are dequantized, and sparse ones made dense. Elements are counted in
// the order of memory, so RunsOf and what reads values may only be called after
// BringToLayoutOf. Throws c10::Error for undefined tensors and, where values
// are read, for dtypes that are no real numbers.
class PairOperand {
 public:
  explicit PairOperand(const at::Tensor& tensor);

  // The tensor's values, or its quantized values as bytes.
  const at::Tensor& memory() const { return memory_; }
  // Brings both to the same dense layout, by copies where they do not have it.
  void BringToLayoutOf(PairOperand& other);

  // Returns where the elements of one index along `dim` are.
  MemoryRuns RunsOf(int64_t dim) const;

  // True where float32 would round the values.
  bool NeedsDouble() const;
  bool HoldsFloats() const {
    return !holds_codes_ && memory_.scalar_type() == at::kFloat;
  }
  // True where memory holds quantized values of 8 bits, as bytes.
  bool HoldsCodes() const { return holds_codes_; }
  // Returns the quantized values from element `first` on, as bytes. To be
  // called where HoldsCodes only, as are the functions for formats.
  const uint8_t* Codes(int64_t first) const {
    return static_cast<const uint8_t*>(memory_.data_ptr()) + first;
  }
  // The runs of quantized values in the same format; one run of all of them
  // where it is per tensor.
  const MemoryRuns& format_runs() const { return format_runs_; }
  bool HasOneFormat() const { return scales_.size() == 1; }
  CodeFormat FormatOf(int64_t element) const;
  // Whether the kernels dequantize values in these formats to the same floats
  // as LibTorch does.
  bool HasExactFormats() const { return formats_are_exact_; }

  // Returns `count` values from element `first` on, dequantized: a pointer into
  // memory or, where that holds other types, `buffer`.
  const float* Floats(int64_t first, int64_t count, float* buffer) const;
  // Returns the same in double, at most kPairBlock of them.
  const double* Doubles(int64_t first, int64_t count, double* buffer) const;

 private:
  void TakeCodes(const at::Tensor& quantized);
  bool IsExact(size_t format) const;
  CodeFormat Format(size_t index) const;
  void Dequantize(int64_t first, int64_t count, float* values) const;

  at::Tensor source_;  // Owns the quantized values.
  at::Tensor memory_;
  bool holds_codes_ = false;
  bool flip_sign_ = false;
  int64_t axis_ = -1;  // The dimension along which formats differ.
  std::vector<double> scales_;
  std::vector<int32_t> zero_points_;
  MemoryRuns format_runs_;
  bool formats_are_exact_ = true;
};

// Both tensors, brought to the same layout where they do not have it: element i
// in memory of `x` and of `y` have the same indices. Where a tensor is complex,
// the elements of both are real and imaginary parts. Throws c10::Error when the
// shapes differ.
struct PairOperands {
  PairOperands(const at::Tensor& first, const at::Tensor& second);

  int64_t count() const { return x.memory().numel(); }
  bool NeedDouble() const { return x.NeedsDouble() || y.NeedsDouble(); }

  PairOperand x;
  PairOperand y;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_OPERANDS_H_
