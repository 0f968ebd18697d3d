#include "passes/runtime/observers/values/reference_histogram.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

// Every operation on floats below is one of PyTorch's Python code, in its order
// and precision: float32 where it has tensors, double where it has numbers.

namespace ns {
namespace {

// The most parts of an old bin that a new bin can have. Counts in a range that
// is shorter than that are as good as counts of one value.
constexpr float kMostParts = 0x1p40F;

constexpr double kLongRange = 0x1p100;

Interval Union(const Interval& a, const Interval& b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

// How torch.div(x, step, rounding_mode='floor') divides, clamped to 0..most.
float ClampedFloorDivide(float x, float step, float most) {
  if (!(x > 0)) {
    return 0;
  }
  const float quotient = (x - std::fmod(x, step)) / step;
  float floor = std::floor(quotient);
  if (quotient - floor > 0.5F) {
    floor += 1;
  }
  return std::min(floor, most);
}

// The integral of x^2 from `begin` to `end`.
float SquaresBetween(float begin, float end) {
  return (end * end * end - begin * begin * begin) / 3;
}

int64_t BinOf(float x, const Interval& range, int64_t bins) {
  const double share =
      (double{x} - range.min) / (double{range.max} - range.min);
  return std::clamp<int64_t>(
      static_cast<int64_t>(share * static_cast<double>(bins)), 0, bins - 1);
}

}  // namespace

struct ReferenceHistogram::Grid {
  Interval range;
  // Where the old range begins, and how long a new bin is, in parts.
  int64_t start = 0;
  int64_t rate = 0;
  // False when there are too many parts.
  bool fits = false;
};

ReferenceHistogram::ReferenceHistogram(int64_t bins, int64_t upsample_rate,
                                       bool compat)
    : bins_(bins),
      upsample_rate_(upsample_rate),
      compat_(compat),
      counts_(at::zeros({bins}, at::kFloat)) {}

void ReferenceHistogram::Restore(const Interval& range,
                                 const at::Tensor& counts) {
  range_ = range;
  counts_ = counts.clone();
}

at::Tensor ReferenceHistogram::Count(const at::Tensor& x,
                                     const Interval& range) const {
  double min = range.min;
  double max = range.max;
  if (compat_) {
    min = std::trunc(min);
    max = std::trunc(max);
  } else if (max - min > kLongRange) {
    // LibTorch 2 multiplies the distance from the least value by the number of
    // bins, which need not be a float. A power of two rounds nothing that
    // counts.
    constexpr double kFactor = 0x1p-64;
    return at::histc(at::mul(x, kFactor), bins_, min * kFactor, max * kFactor);
  }
  return at::histc(x, bins_, min, max);
}

ReferenceHistogram::Grid ReferenceHistogram::GridOver(
    const Interval& wider) const {
  const auto bins = static_cast<float>(bins_);
  const float part =
      (range_.max - range_.min) / static_cast<float>(bins_ * upsample_rate_);
  const float length = wider.max - wider.min;
  const float rate = std::ceil(length / (bins * part));
  Grid grid;
  grid.fits = rate <= kMostParts;
  if (grid.fits) {
    grid.range = {wider.min, wider.max + (rate * (bins * part) - length)};
    grid.rate = static_cast<int64_t>(rate);
    grid.start =
        static_cast<int64_t>(std::nearbyint((range_.min - wider.min) / part));
  }
  return grid;
}

void ReferenceHistogram::AddRegridded(const Grid& grid,
                                      at::Tensor& counts) const {
  const float* old = counts_.data_ptr<float>();
  const int64_t parts = bins_ * upsample_rate_;
  // PyTorch has a tensor of all parts of the new range. Those that hold nothing
  // do not change its cumulative sum, which needs no tensor then.
  double sum = 0;
  float sum_before = 0;
  int64_t part = 0;
  for (int64_t bin = 0; bin < bins_; ++bin) {
    const int64_t end =
        bin + 1 == bins_ ? parts
                         : std::min(parts, (bin + 1) * grid.rate - grid.start);
    while (part < end) {
      const float value = old[part / upsample_rate_];
      const int64_t end_of_old =
          std::min(end, (part / upsample_rate_ + 1) * upsample_rate_);
      for (; part < end_of_old; ++part) {
        sum += value;
      }
    }
    counts.data_ptr<float>()[bin] += static_cast<float>(
        (sum - double{sum_before}) / static_cast<double>(upsample_rate_));
    sum_before = static_cast<float>(sum);
  }
}

void ReferenceHistogram::AddAsOneValue(const Interval& wider,
                                       at::Tensor& counts) const {
  counts.data_ptr<float>()[BinOf(range_.min, wider, bins_)] +=
      counts_.sum().item<float>();
}

void ReferenceHistogram::Add(const at::Tensor& x, const Interval& range) {
  const bool is_one_value = range_.min == range_.max;
  if (range_.IsEmpty() || (is_one_value && compat_)) {
    range_ = range;
    counts_ = Count(x, range);
    return;
  }
  const Interval wider = Union(range_, range);
  if (is_one_value && wider == range_) {
    counts_ += Count(x, wider);
    return;
  }
  const Grid grid = GridOver(wider);
  TORCH_CHECK(grid.fits || !compat_,
              "observer 'histogram': the range grows to ", wider.min, "..",
              wider.max, " from ", range_.min, "..", range_.max,
              ", too much for upsample_rate; see kind 'mse'");
  const Interval& counted = grid.fits ? grid.range : wider;
  at::Tensor counts = Count(x, counted);
  if (!grid.fits) {
    AddAsOneValue(counted, counts);
  } else if (grid.range == range_) {
    counts += counts_;
  } else {
    AddRegridded(grid, counts);
  }
  range_ = counted;
  counts_ = counts;
}

void ReferenceHistogram::Merge(const ReferenceHistogram& other) {
  if (other.range_.IsEmpty()) {
    return;
  }
  if (range_.IsEmpty()) {
    Restore(other.range_, other.counts_);
    return;
  }
  // Adds a value in the middle of each bin.
  const float* added = other.counts_.data_ptr<float>();
  const double width = (double{other.range_.max} - other.range_.min) /
                       static_cast<double>(bins_);
  Add(at::empty({0}, at::kFloat), other.range_);
  float* counts = counts_.data_ptr<float>();
  for (int64_t bin = 0; bin < bins_; ++bin) {
    const auto middle = static_cast<float>(
        other.range_.min + (static_cast<double>(bin) + 0.5) * width);
    const bool is_one_value = range_.min == range_.max;
    counts[is_one_value ? bin : BinOf(middle, range_, bins_)] += added[bin];
  }
}

double ReferenceHistogram::Error(int64_t first, int64_t last,
                                 double levels) const {
  // In widths of a bin: the cube of the width is not always a float.
  double bin_width = 1;
  if (compat_) {
    bin_width =
        (double{range_.max} - double{range_.min}) / static_cast<double>(bins_);
  }
  const double level_width =
      bin_width * static_cast<double>(last - first + 1) / levels;
  if (level_width == 0) {
    return 0;
  }
  const auto width = static_cast<float>(bin_width);
  const auto step = static_cast<float>(level_width);
  const auto half_step = static_cast<float>(level_width / 2);
  const auto most = static_cast<float>(levels - 1);
  const float whole_level = SquaresBetween(-half_step, half_step);
  at::Tensor errors = at::empty({bins_}, at::kFloat);
  for (int64_t bin = 0; bin < bins_; ++bin) {
    const float begin = static_cast<float>(bin - first) * width;
    const float end = begin + width;
    const float level_of_begin = ClampedFloorDivide(begin, step, most);
    const float level_of_end = ClampedFloorDivide(end, step, most);
    const float density = counts_.data_ptr<float>()[bin] / width;
    const float after_begin =
        density *
        SquaresBetween(begin - (level_of_begin + 0.5F) * step, half_step);
    const float between =
        (level_of_end - level_of_begin - 1) * (density * whole_level);
    const float before_end =
        density *
        SquaresBetween(-half_step, end - (level_of_end * step + half_step));
    errors.data_ptr<float>()[bin] = after_begin + between + before_end;
  }
  return errors.sum().item<float>();
}

Interval ReferenceHistogram::BestRange(double levels) const {
  constexpr double kStep = 1e-5;
  const double total = counts_.sum().item<float>();
  const at::Tensor sums = counts_.cumsum(0);
  const float* counts_to = sums.data_ptr<float>();
  int64_t start = 0;
  int64_t end = bins_ - 1;
  double alpha = 0;
  double beta = 1;
  double least = std::numeric_limits<double>::infinity();
  while (alpha < beta) {
    const double next_alpha = alpha + kStep;
    const double next_beta = beta - kStep;
    const auto low = static_cast<float>(next_alpha * total);
    const auto high = static_cast<float>(next_beta * total);
    int64_t left = start;
    while (left < end && counts_to[left] < low) {
      ++left;
    }
    int64_t right = end;
    while (right > start && counts_to[right] > high) {
      --right;
    }
    int64_t next_start = start;
    int64_t next_end = end;
    if (left - start > end - right) {
      next_start = left;
      alpha = next_alpha;
    } else {
      next_end = right;
      beta = next_beta;
    }
    if (next_start == start && next_end == end) {
      continue;
    }
    const double error = Error(next_start, next_end, levels);
    if (error > least) {
      break;
    }
    least = error;
    start = next_start;
    end = next_end;
  }
  const float width = (range_.max - range_.min) / static_cast<float>(bins_);
  return {range_.min + width * static_cast<float>(start),
          range_.min + width * static_cast<float>(end + 1)};
}

}  // namespace ns
