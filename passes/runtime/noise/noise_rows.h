// What quantization errors inside of a model do to what it returns, sample by
// sample.
#ifndef PASSES_RUNTIME_NOISE_NOISE_ROWS_H_
#define PASSES_RUNTIME_NOISE_NOISE_ROWS_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace ns {

// A table of what events do to an output. An event is an error that one value
// gets, such as rounding it to 8 bits; e is the error. Let J be the derivative
// of the output by the value. To first order, the output moves by the sum of
// J e over all events that happen. For a random vector v of -1 and 1,
//
//   (sum over events of v . J e)^2 = (sum over events of g . e)^2
//
// with g the gradient of v . output by the value, has the mean |sum of J e|^2,
// the power of the noise in the output. A row of the table has g . e of all
// events, for one v and one sample. As events stand side by side in it, the
// power of any set of them follows, with what they have in common.
class NoiseRows {
 public:
  explicit NoiseRows(int events) : columns_(static_cast<size_t>(events)) {}

  // Begins the rows of one v: `samples` of them, the first dimension of the
  // output, which has the number `output`.
  void Begin(size_t output, int64_t samples);

  // Adds gradient . error, two tensors of one shape, to the event of the rows
  // that were begun; an event in a loop comes several times. Where the first
  // dimension is not that of the samples, the rows of all events become one,
  // of the whole batch. A product with an error of 0 is 0, even if the gradient
  // is infinite; a sum that is not finite counts as kUnbounded.
  void Add(int event, const at::Tensor& gradient, const at::Tensor& error);

  // Ends the rows.
  void End();

  // The sum over all rows of `output` of (sum over `events`)^2.
  double PowerOf(size_t output, absl::Span<const int> events) const;

  // What an effect counts as that has no bound: as a power larger than any
  // that a budget allows, and finite, so that powers of events with and without
  // one can be told apart.
  static constexpr double kUnbounded = 1e15;

  // The number of rows of `output`.
  size_t RowsOf(size_t output) const;

 private:
  // Of one event: a vector for each output; empty where it did not happen.
  using Column = std::vector<std::vector<float>>;

  std::vector<Column> columns_;
  std::vector<size_t> rows_;
  // Of the rows that were begun.
  size_t output_ = 0;
  int64_t samples_ = 0;
  bool is_whole_ = false;
  std::vector<std::vector<double>> begun_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_NOISE_NOISE_ROWS_H_
