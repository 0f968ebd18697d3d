#include "passes/runtime/statistics/pair_channels.h"

#include <algorithm>
#include <cstddef>

namespace ns {
namespace {

// Runs of this length or more are pieces.
constexpr int64_t kLongRun = 512;

bool ArePieces(const MemoryRuns& runs) { return runs.length >= kLongRun; }

// Returns the number of columns: a multiple of the length of all channels'
// runs, and of 16, a vector, where this is not long; zero where single runs are
// better.
int64_t ColumnsOf(const MemoryRuns& runs) {
  if (ArePieces(runs)) {
    return 0;
  }
  const int64_t turn = runs.length * runs.size;
  if (turn > kPairBlock) {
    return runs.length == 1 ? turn : 0;
  }
  int64_t columns = turn;
  while (columns % 16 != 0 && columns + turn <= kPairBlock) {
    columns += turn;
  }
  return columns;
}

}  // namespace

PairChannels::PairChannels(const MemoryRuns& runs)
    : runs_(runs),
      columns_(ColumnsOf(runs)),
      x2_(static_cast<size_t>(columns_ > 0 ? columns_ : runs.size)),
      e2_(x2_.size()) {}

int64_t PairChannels::Limit(int64_t first) const {
  if (ArePieces(runs_)) {
    return runs_.LeftInRun(first);
  }
  if (columns_ == 0) {
    return kPairPiece;
  }
  return columns_ < kPairBlock ? kPairBlock / columns_ * columns_ : kPairBlock;
}

void PairChannels::Add(const PairPiece& piece, int64_t first,
                       const PairStatistics& sums) {
  if (ArePieces(runs_)) {
    const int64_t channel = runs_.IndexOf(first);
    x2_[channel] += sums.sum_x2;
    e2_[channel] += sums.sum_e2;
  } else if (columns_ == 0) {
    AddRuns(piece, first);
  } else if (sums.inf_x > 0 && sums.inf_y > 0) {
    AddElements(piece, first);
  } else {
    AddColumns(piece, first);
  }
}

void PairChannels::AddElements(const PairPiece& piece, int64_t first) {
  // Quantized values are finite.
  const std::vector<double> x(piece.x, piece.x + piece.count);
  const std::vector<double> y(piece.y, piece.y + piece.count);
  Add(x.data(), y.data(), first, piece.count);
}

void PairChannels::AddRuns(const PairPiece& piece, int64_t first) {
  for (int64_t done = 0; done < piece.count;) {
    const int64_t size =
        std::min(piece.count - done, runs_.LeftInRun(first + done));
    const PairErrors errors = SumErrors(piece.Part(done, size));
    const int64_t channel = runs_.IndexOf(first + done);
    x2_[channel] += errors.x2;
    e2_[channel] += errors.e2;
    done += size;
  }
}

void PairChannels::AddColumns(const PairPiece& piece, int64_t first) {
  const PairKernels& kernels = ChosenPairKernels();
  float values[kPairBlock];
  const float* y = piece.y;
  if (y == nullptr) {
    kernels.dequantize(piece.codes, piece.format, piece.count, values);
    y = values;
  }
  for (int64_t done = 0; done < piece.count;) {
    const int64_t column = (first + done) % columns_;
    const int64_t left = piece.count - done;
    const int64_t rows = column == 0 ? left / columns_ : 0;
    const int64_t size =
        rows > 0 ? columns_ : std::min(left, columns_ - column);
    kernels.columns(piece.x + done, y + done, std::max<int64_t>(rows, 1), size,
                    &x2_[column], &e2_[column]);
    done += std::max<int64_t>(rows, 1) * size;
  }
}

void PairChannels::Add(const double* x, const double* y, int64_t first,
                       int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at =
        columns_ > 0 ? (first + i) % columns_ : runs_.IndexOf(first + i);
    if (!AreEqualInfinities(x[i], y[i])) {
      const double error = x[i] - y[i];
      x2_[at] += x[i] * x[i];
      e2_[at] += error * error;
    }
  }
}

std::vector<PairErrors> PairChannels::Sums() const {
  if (columns_ == 0) {
    std::vector<PairErrors> sums;
    for (size_t channel = 0; channel < x2_.size(); ++channel) {
      sums.push_back({x2_[channel], e2_[channel]});
    }
    return sums;
  }
  std::vector<PairErrors> sums(static_cast<size_t>(runs_.size));
  for (int64_t column = 0; column < columns_; ++column) {
    PairErrors& channel = sums[runs_.IndexOf(column)];
    channel.x2 += x2_[column];
    channel.e2 += e2_[column];
  }
  return sums;
}

}  // namespace ns
