// Measures what quantization errors inside a model do to its outputs, sample by
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
// the power of the noise in the output. The table has a row for each v and each
// sample, and a column for each event, which holds g . e. From the rows, the
// power of any set of events follows, and events that add up or cancel do so.
//
//   NoiseRows rows(events);
//   // For each batch, each output and each v:
//   rows.Begin(output, samples);
//   rows.Add(event, gradient, error);  // for each event that happens
//   rows.End();
//   // The mean power of the noise, summed over all samples:
//   rows.PowerOf(output, {0, 3}) / number_of_v
class NoiseRows {
 public:
  // Events are numbered from 0 to events - 1.
  explicit NoiseRows(int events) : columns_(static_cast<size_t>(events)) {}

  // Begins the rows of one v for output number `output`. There is one for each
  // of the `samples`, the size of the first dimension of the output.
  void Begin(size_t output, int64_t samples);

  // Adds gradient . error of each sample to the column of `event`, in the rows
  // that were begun. It may be called several times for an event, such as one
  // in a loop. Both tensors are floats of one shape. If the size of their first
  // dimension is not `samples`, the samples cannot be told apart: then the rows
  // that were begun, of all events, become one for the whole batch. A product
  // with an error of 0 is 0, even if the gradient is infinite. A sum that is
  // nan, or beyond kUnbounded in either direction, counts as kUnbounded.
  void Add(int event, const at::Tensor& gradient, const at::Tensor& error);

  // Appends the rows that were begun to the table.
  void End();

  // The sum over all rows of `output` of (sum over `events`)^2.
  double PowerOf(size_t output, absl::Span<const int> events) const;

  // What a g . e that is larger, or not finite, counts as. The power is its
  // square, more than any budget allows. It is finite, so that powers of events
  // with and without such a one can be told apart.
  static constexpr double kUnbounded = 1e15;

  // The number of rows of `output` so far.
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
