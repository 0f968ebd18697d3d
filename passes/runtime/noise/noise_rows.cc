#include "passes/runtime/noise/noise_rows.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numeric>

namespace ns {

void NoiseRows::Begin(size_t output, int64_t samples) {
  output_ = output;
  samples_ = samples;
  is_whole_ = false;
  begun_.assign(columns_.size(), {});
  if (rows_.size() <= output) {
    rows_.resize(output + 1);
  }
}

void NoiseRows::Add(int event, const at::Tensor& gradient,
                    const at::Tensor& error) {
  if (error.numel() == 0) {
    return;
  }
  // The derivative of a root at 0 is infinite, and an error of 0 is none.
  const at::Tensor products = gradient.mul(error).masked_fill(error.eq(0), 0);
  const bool has_samples = products.dim() > 0 && products.size(0) == samples_;
  is_whole_ = is_whole_ || !has_samples;
  const at::Tensor sums =
      (has_samples ? products.reshape({samples_, -1}).sum(1, false, at::kDouble)
                   : products.sum(at::kDouble).reshape({1}))
          .contiguous();
  std::vector<double>& begun = begun_[static_cast<size_t>(event)];
  if (begun.size() < static_cast<size_t>(sums.numel())) {
    begun.resize(static_cast<size_t>(sums.numel()));
  }
  const double* data = sums.data_ptr<double>();
  for (int64_t i = 0; i < sums.numel(); ++i) {
    // Also nan, and what would be infinite in float.
    const bool is_bounded = std::abs(data[i]) < kUnbounded;
    begun[static_cast<size_t>(i)] += is_bounded ? data[i] : kUnbounded;
  }
}

void NoiseRows::End() {
  const auto added = static_cast<size_t>(is_whole_ ? 1 : samples_);
  const size_t before = rows_[output_];
  for (size_t event = 0; event < columns_.size(); ++event) {
    std::vector<double>& begun = begun_[event];
    if (begun.empty()) {
      continue;
    }
    if (is_whole_) {
      begun = {std::accumulate(begun.begin(), begun.end(), 0.0)};
    }
    Column& column = columns_[event];
    if (column.size() <= output_) {
      column.resize(output_ + 1);
    }
    column[output_].resize(before);
    column[output_].insert(column[output_].end(), begun.begin(), begun.end());
  }
  rows_[output_] = before + added;
}

double NoiseRows::PowerOf(size_t output, absl::Span<const int> events) const {
  std::vector<double> sums(RowsOf(output));
  for (const int event : events) {
    const Column& column = columns_[static_cast<size_t>(event)];
    if (column.size() <= output) {
      continue;
    }
    const std::vector<float>& rows = column[output];
    for (size_t i = 0; i < rows.size(); ++i) {
      sums[i] += rows[i];
    }
  }
  return std::inner_product(sums.begin(), sums.end(), sums.begin(), 0.0);
}

size_t NoiseRows::RowsOf(size_t output) const {
  return output < rows_.size() ? rows_[output] : 0;
}

}  // namespace ns
