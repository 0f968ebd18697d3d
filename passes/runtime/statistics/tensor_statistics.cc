#include "passes/runtime/statistics/tensor_statistics.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "passes/runtime/statistics/element_sample.h"
#include "passes/runtime/statistics/pair_blocks.h"
#include "passes/runtime/statistics/pair_channels.h"
#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_operands.h"
#include "passes/runtime/statistics/saved_statistics.h"

namespace ns {
namespace {

// The numbers of CodesInUse: three counts, and `used`.
constexpr size_t kNumbersOfUse = 3 + CodesInUse::kBytes;
constexpr size_t kNumbersPerChannel = 2;
// Stands in place of the sum of squares of a channel: what follows is no more
// channels, but pairs of a bin of the error histogram and its count.
constexpr double kErrorsFollow = -1;
// Likewise, also in place of a bin of the error histogram: what follows are the
// numbers of PairHistograms.
constexpr double kHistogramsFollow = -2;

// Of a pair with histograms, so many elements are read at a time: those that
// were just summed are in the cache when some of them are counted.
constexpr int64_t kMostSampled = 16384;

// The comparison of one pair.
class Comparison {
 public:
  Comparison(const PairOperands& pair, const TensorStatisticsOptions& options);

  TensorStatistics Run();

 private:
  void AddDoubles();
  void AddPieces();
  // Computes the sums of one piece, which starts with element `first`, and adds
  // them.
  PairStatistics Add(const PairPiece& piece, int64_t first);
  // Notes the quantized values that no kernel reads, where they are noted at
  // all.
  void NoteCodes(int64_t first, int64_t count);
  void CountErrors(int64_t first, int64_t count);
  // Count the elements of `sample_` that are in a piece.
  void CountSample(const PairPiece& piece, int64_t first);
  void CountSample(const double* x, const double* y, int64_t first,
                   int64_t count);

  const PairOperands& pair_;
  const bool notes_codes_;
  const bool counts_errors_;
  PairStatistics sums_;
  CodesInUse codes_;
  ErrorHistogram errors_;
  const ElementSample sample_;
  // The number of the first window of the sample that is not counted yet.
  int64_t window_ = 0;
  PairHistograms* const histograms_;
  std::optional<PairChannels> channels_;
};

Comparison::Comparison(const PairOperands& pair,
                       const TensorStatisticsOptions& options)
    : pair_(pair),
      notes_codes_(options.codes && pair.y.HoldsCodes()),
      counts_errors_(options.errors),
      sample_(pair.count()),
      histograms_(options.histograms) {
  const int64_t dim = options.channel_dim;
  if (dim >= 0 && dim < pair.x.memory().dim()) {
    channels_.emplace(pair.x.RunsOf(dim));
  }
}

TensorStatistics Comparison::Run() {
  if (pair_.NeedDouble()) {
    AddDoubles();
  } else {
    AddPieces();
  }
  TensorStatistics statistics;
  statistics.sums = sums_;
  statistics.codes = codes_;
  statistics.errors = std::move(errors_);
  if (channels_) {
    for (const PairErrors& channel : channels_->Sums()) {
      statistics.channels.push_back({channel.x2, channel.e2});
    }
  }
  return statistics;
}

void Comparison::AddDoubles() {
  double x_values[kPairBlock];
  double y_values[kPairBlock];
  for (int64_t first = 0; first < pair_.count(); first += kPairBlock) {
    const int64_t size = std::min(kPairBlock, pair_.count() - first);
    const double* x = pair_.x.Doubles(first, size, x_values);
    const double* y = pair_.y.Doubles(first, size, y_values);
    sums_.Merge(CompareExactly(x, y, size));
    if (channels_) {
      channels_->Add(x, y, first, size);
    }
    if (counts_errors_) {
      errors_.Add(x, y, size);
    }
    if (histograms_ != nullptr) {
      CountSample(x, y, first, size);
    }
    NoteCodes(first, size);
  }
}

void Comparison::AddPieces() {
  PairReader reader(pair_);
  for (int64_t first = 0; first < pair_.count();) {
    int64_t left = pair_.count() - first;
    if (histograms_ != nullptr) {
      left = std::min(left, kMostSampled);
    }
    const PairPiece piece = reader.Read(
        first, channels_ ? std::min(left, channels_->Limit(first)) : left);
    const PairStatistics sums = Add(piece, first);
    if (channels_) {
      channels_->Add(piece, first, sums);
    }
    if (counts_errors_) {
      CountErrors(first, piece.count);
    }
    if (histograms_ != nullptr) {
      CountSample(piece, first);
    }
    first += piece.count;
  }
}

PairStatistics Comparison::Add(const PairPiece& piece, int64_t first) {
  PairStatistics sums;
  if (notes_codes_ && piece.codes != nullptr) {
    const PairBlock block = ChosenPairKernels().codes_and_use(
        piece.x, piece.codes, piece.format, piece.count, codes_);
    sums =
        IsSafe(block) ? StatisticsOf(block, piece.count) : ComparePiece(piece);
  } else {
    NoteCodes(first, piece.count);
    sums = ComparePiece(piece);
  }
  sums_.Merge(sums);
  return sums;
}

void Comparison::NoteCodes(int64_t first, int64_t count) {
  if (notes_codes_) {
    codes_.Add(pair_.y.Codes(first), count, pair_.y.FormatOf(first).flip_sign);
  }
}

void Comparison::CountErrors(int64_t first, int64_t count) {
  float x_values[kPairBlock];
  float y_values[kPairBlock];
  for (const int64_t end = first + count; first < end; first += kPairBlock) {
    const int64_t size = std::min(kPairBlock, end - first);
    errors_.Add(pair_.x.Floats(first, size, x_values),
                pair_.y.Floats(first, size, y_values), size);
  }
}

void Comparison::CountSample(const PairPiece& piece, int64_t first) {
  for (;; ++window_) {
    const int64_t element = sample_.ElementOf(window_) - first;
    if (element >= piece.count) {
      return;
    }
    histograms_->Add(piece.x[element],
                     piece.y != nullptr
                         ? piece.y[element]
                         : Dequantized(piece.codes[element], piece.format));
  }
}

void Comparison::CountSample(const double* x, const double* y, int64_t first,
                             int64_t count) {
  for (;; ++window_) {
    const int64_t element = sample_.ElementOf(window_) - first;
    if (element >= count) {
      return;
    }
    histograms_->Add(x[element], y[element]);
  }
}

}  // namespace

void TensorStatistics::Merge(const TensorStatistics& other) {
  sums.Merge(other.sums);
  codes.Merge(other.codes);
  errors.Merge(other.errors);
  histograms.Merge(other.histograms);
  channels.resize(std::max(channels.size(), other.channels.size()));
  for (size_t i = 0; i < other.channels.size(); ++i) {
    channels[i].sum_x2 += other.channels[i].sum_x2;
    channels[i].sum_e2 += other.channels[i].sum_e2;
  }
}

std::vector<double> TensorStatistics::ToNumbers() const {
  std::vector<double> numbers = NumbersOf({sums});
  for (const int64_t count : {codes.total, codes.at_lowest, codes.at_highest}) {
    numbers.push_back(static_cast<double>(count));
  }
  numbers.insert(numbers.end(), std::begin(codes.used), std::end(codes.used));
  for (const ChannelSums& channel : channels) {
    numbers.push_back(channel.sum_x2);
    numbers.push_back(channel.sum_e2);
  }
  if (errors.total() > 0) {
    numbers.push_back(kErrorsFollow);
    numbers.push_back(0);
  }
  for (const auto& [bin, count] : errors.Bins()) {
    numbers.push_back(static_cast<double>(bin));
    numbers.push_back(static_cast<double>(count));
  }
  const std::vector<double> counted = histograms.ToNumbers();
  if (!counted.empty()) {
    numbers.push_back(kHistogramsFollow);
    numbers.push_back(0);
  }
  numbers.insert(numbers.end(), counted.begin(), counted.end());
  return numbers;
}

TensorStatistics TensorStatistics::FromNumbers(
    const std::vector<double>& numbers) {
  const size_t of_sums = SavedSize(numbers);
  const size_t fixed = of_sums + kNumbersOfUse;
  TORCH_CHECK(numbers.size() >= fixed &&
                  (numbers.size() - fixed) % kNumbersPerChannel == 0,
              "tensor statistics of ", numbers.size(), " numbers; there are ",
              fixed, " and ", kNumbersPerChannel, " for each channel");
  TensorStatistics statistics;
  auto next = numbers.begin() + static_cast<ptrdiff_t>(of_sums);
  statistics.sums = StatisticsFromNumbers({numbers.begin(), next}).front();
  CodesInUse& codes = statistics.codes;
  for (int64_t* count : {&codes.total, &codes.at_lowest, &codes.at_highest}) {
    *count = CountFromNumber(*next++);
  }
  for (uint8_t& byte : codes.used) {
    const int64_t value = CountFromNumber(*next++);
    TORCH_CHECK(value <= 255, "a byte of codes in use is ", value);
    byte = static_cast<uint8_t>(value);
  }
  while (next != numbers.end() && *next != kErrorsFollow &&
         *next != kHistogramsFollow) {
    ChannelSums& channel = statistics.channels.emplace_back();
    channel.sum_x2 = *next++;
    channel.sum_e2 = *next++;
  }
  if (next != numbers.end() && *next == kErrorsFollow) {
    next += kNumbersPerChannel;
  }
  while (next != numbers.end() && *next != kHistogramsFollow) {
    const int64_t bin = CountFromNumber(*next++);
    TORCH_CHECK(statistics.errors.AddBin(bin, CountFromNumber(*next++)),
                "an error histogram has no bin ", bin);
  }
  if (next != numbers.end()) {
    statistics.histograms =
        PairHistograms::FromNumbers({next + kNumbersPerChannel, numbers.end()});
  }
  return statistics;
}

TensorStatistics CompareTensors(const at::Tensor& x, const at::Tensor& y,
                                const TensorStatisticsOptions& options) {
  at::NoGradGuard no_grad;
  const PairOperands pair(x, y);
  return Comparison(pair, options).Run();
}

}  // namespace ns
