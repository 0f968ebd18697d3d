#include "passes/runtime/tensor_statistics.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>

#include "passes/runtime/pair_blocks.h"
#include "passes/runtime/pair_channels.h"
#include "passes/runtime/pair_kernels.h"
#include "passes/runtime/pair_operands.h"

namespace ns {
namespace {

constexpr size_t kCodes = std::tuple_size<decltype(CodeHistogram::counts)>();
constexpr size_t kFixedNumbers = PairStatistics::kNumbers + kCodes;
constexpr size_t kNumbersPerChannel = 2;

// The comparison of one pair.
class Comparison {
 public:
  Comparison(const PairOperands& pair, const TensorStatisticsOptions& options);

  TensorStatistics Run();

 private:
  void AddDoubles();
  void AddPieces();
  // The sums of one piece, which starts with element `first`; adds them.
  PairStatistics Add(const PairPiece& piece, int64_t first);
  // Where to count so many bytes.
  ByteCounts& CountsFor(int64_t size);
  void FlushCounts();

  const PairOperands& pair_;
  const bool counts_codes_;
  PairStatistics sums_;
  ByteCounts counts_;
  int64_t bytes_counted_ = 0;
  CodeHistogram codes_;
  std::optional<PairChannels> channels_;
};

Comparison::Comparison(const PairOperands& pair,
                       const TensorStatisticsOptions& options)
    : pair_(pair), counts_codes_(options.codes && pair.y.HoldsCodes()) {
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
  FlushCounts();
  TensorStatistics statistics;
  statistics.sums = sums_;
  statistics.codes = codes_;
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
    if (counts_codes_) {
      CountBytes(pair_.y.Codes(first), size, CountsFor(size));
    }
  }
}

void Comparison::AddPieces() {
  PairReader reader(pair_);
  for (int64_t first = 0; first < pair_.count();) {
    const int64_t left = pair_.count() - first;
    const PairPiece piece = reader.Read(
        first, channels_ ? std::min(left, channels_->Limit(first)) : left);
    const PairStatistics sums = Add(piece, first);
    if (channels_) {
      channels_->Add(piece, first, sums);
    }
    first += piece.count;
  }
}

PairStatistics Comparison::Add(const PairPiece& piece, int64_t first) {
  PairStatistics sums;
  if (counts_codes_ && piece.codes != nullptr) {
    const PairBlock block =
        ChosenPairKernels().counted_codes(piece.x, piece.codes, piece.format,
                                          piece.count, CountsFor(piece.count));
    sums =
        IsSafe(block) ? StatisticsOf(block, piece.count) : ComparePiece(piece);
  } else {
    if (counts_codes_) {
      CountBytes(pair_.y.Codes(first), piece.count, CountsFor(piece.count));
    }
    sums = ComparePiece(piece);
  }
  sums_.Merge(sums);
  return sums;
}

ByteCounts& Comparison::CountsFor(int64_t size) {
  if (bytes_counted_ + size >= ByteCounts::kLimit) {
    FlushCounts();
  }
  bytes_counted_ += size;
  return counts_;
}

void Comparison::FlushCounts() {
  if (bytes_counted_ == 0) {
    return;
  }
  const size_t flip = pair_.y.FormatOf(0).flip_sign ? 0x80 : 0;
  for (const auto& table : counts_.tables) {
    for (size_t byte = 0; byte < kCodes; ++byte) {
      codes_.counts[byte ^ flip] += table[byte];
    }
  }
  counts_ = {};
  bytes_counted_ = 0;
}

}  // namespace

void TensorStatistics::Merge(const TensorStatistics& other) {
  sums.Merge(other.sums);
  codes.Merge(other.codes);
  channels.resize(std::max(channels.size(), other.channels.size()));
  for (size_t i = 0; i < other.channels.size(); ++i) {
    channels[i].sum_x2 += other.channels[i].sum_x2;
    channels[i].sum_e2 += other.channels[i].sum_e2;
  }
}

std::vector<double> TensorStatistics::ToNumbers() const {
  const PairStatistics::Numbers of_sums = sums.ToNumbers();
  std::vector<double> numbers(of_sums.begin(), of_sums.end());
  numbers.insert(numbers.end(), codes.counts.begin(), codes.counts.end());
  for (const ChannelSums& channel : channels) {
    numbers.push_back(channel.sum_x2);
    numbers.push_back(channel.sum_e2);
  }
  return numbers;
}

TensorStatistics TensorStatistics::FromNumbers(
    const std::vector<double>& numbers) {
  TORCH_CHECK(numbers.size() >= kFixedNumbers &&
                  (numbers.size() - kFixedNumbers) % kNumbersPerChannel == 0,
              "tensor statistics of ", numbers.size(), " numbers; there are ",
              kFixedNumbers, " and ", kNumbersPerChannel, " for each channel");
  TensorStatistics statistics;
  PairStatistics::Numbers of_sums;
  auto next = numbers.begin();
  std::copy_n(next, of_sums.size(), of_sums.begin());
  statistics.sums = PairStatistics::FromNumbers(of_sums);
  next += of_sums.size();
  for (int64_t& count : statistics.codes.counts) {
    count = static_cast<int64_t>(*next++);
  }
  while (next != numbers.end()) {
    ChannelSums& channel = statistics.channels.emplace_back();
    channel.sum_x2 = *next++;
    channel.sum_e2 = *next++;
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
