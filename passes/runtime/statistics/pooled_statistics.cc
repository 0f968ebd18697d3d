#include "passes/runtime/statistics/pooled_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace ns {
namespace {

// Counts that are added up cannot overflow.
constexpr int64_t kMostElements = int64_t{1} << 53;

// Returns the same number, and 0 for -0: which of the two is the least value
// depends on which came first.
double WithoutSignOfZero(double extreme) { return extreme + 0.0; }

int64_t LoadCount(ByteReader& reader) {
  const int64_t count = reader.Integer();
  if (count < 0 || count > kMostElements) {
    reader.Fail();
    return 0;
  }
  return count;
}

// Calls `see` with each count and each extreme of `others`.
template <typename Statistics, typename SeeCount, typename SeeExtreme>
void ForEachOther(Statistics& others, const SeeCount& see_count,
                  const SeeExtreme& see_extreme) {
  for (auto* count : {&others.count, &others.nan_x, &others.inf_x,
                      &others.nan_y, &others.inf_y}) {
    see_count(*count);
  }
  for (auto* extreme : {&others.max_abs_error, &others.min_x, &others.max_x,
                        &others.min_y, &others.max_y}) {
    see_extreme(*extreme);
  }
}

}  // namespace

void PooledSums::Add(const PairStatistics& part) {
  others_.Merge(part);
  x2_.Add(part.sum_x2);
  y2_.Add(part.sum_y2);
  xy_.Add(part.sum_xy);
  e2_.Add(part.sum_e2);
  e_.Add(part.sum_e);
}

void PooledSums::Merge(const PooledSums& other) {
  others_.Merge(other.others_);
  x2_.Merge(other.x2_);
  y2_.Merge(other.y2_);
  xy_.Merge(other.xy_);
  e2_.Merge(other.e2_);
  e_.Merge(other.e_);
}

PairStatistics PooledSums::Value() const {
  PairStatistics value = others_;
  ForEachOther(
      value, [](int64_t) {},
      [](double& extreme) { extreme = WithoutSignOfZero(extreme); });
  value.sum_x2 = x2_.Value();
  value.sum_y2 = y2_.Value();
  value.sum_xy = xy_.Value();
  value.sum_e2 = e2_.Value();
  value.sum_e = e_.Value();
  return value;
}

void PooledSums::Save(ByteWriter& writer) const {
  ForEachOther(
      others_, [&](int64_t count) { writer.Integer(count); },
      [&](double extreme) {
        // There is one nan, whatever its bits.
        writer.Double(std::isnan(extreme) ? std::nan("")
                                          : WithoutSignOfZero(extreme));
      });
  for (const ExactSum* sum : {&x2_, &y2_, &xy_, &e2_, &e_}) {
    sum->Save(writer);
  }
}

PooledSums PooledSums::Load(ByteReader& reader) {
  PooledSums sums;
  ForEachOther(
      sums.others_, [&](int64_t& count) { count = LoadCount(reader); },
      [&](double& extreme) { extreme = reader.Double(); });
  for (ExactSum* sum : {&sums.x2_, &sums.y2_, &sums.xy_, &sums.e2_, &sums.e_}) {
    *sum = ExactSum::Load(reader);
  }
  return sums;
}

void PooledStatistics::Add(const TensorStatistics& part) {
  sums_.Add(part.sums);
  codes_.Merge(part.codes);
  errors_.Merge(part.errors);
  histograms_.Merge(part.histograms);
  channels_.resize(std::max(channels_.size(), part.channels.size()));
  for (size_t i = 0; i < part.channels.size(); ++i) {
    channels_[i].x2.Add(part.channels[i].sum_x2);
    channels_[i].e2.Add(part.channels[i].sum_e2);
  }
}

void PooledStatistics::Merge(const PooledStatistics& other) {
  sums_.Merge(other.sums_);
  codes_.Merge(other.codes_);
  errors_.Merge(other.errors_);
  histograms_.Merge(other.histograms_);
  channels_.resize(std::max(channels_.size(), other.channels_.size()));
  for (size_t i = 0; i < other.channels_.size(); ++i) {
    channels_[i].x2.Merge(other.channels_[i].x2);
    channels_[i].e2.Merge(other.channels_[i].e2);
  }
}

TensorStatistics PooledStatistics::Value() const {
  TensorStatistics value;
  value.sums = sums_.Value();
  value.codes = codes_;
  value.errors = errors_;
  value.histograms = histograms_;
  for (const Channel& channel : channels_) {
    value.channels.push_back({channel.x2.Value(), channel.e2.Value()});
  }
  return value;
}

void PooledStatistics::Save(ByteWriter& writer) const {
  sums_.Save(writer);
  writer.Integer(codes_.total);
  writer.Integer(codes_.at_lowest);
  writer.Integer(codes_.at_highest);
  for (const uint8_t byte : codes_.used) {
    writer.Integer(byte);
  }
  writer.Integer(static_cast<int64_t>(channels_.size()));
  for (const Channel& channel : channels_) {
    channel.x2.Save(writer);
    channel.e2.Save(writer);
  }
  const auto bins = errors_.Bins();
  writer.Integer(static_cast<int64_t>(bins.size()));
  for (const auto& [bin, count] : bins) {
    writer.Integer(bin);
    writer.Integer(count);
  }
  // All of them are whole.
  const std::vector<double> counted = histograms_.ToNumbers();
  writer.Integer(static_cast<int64_t>(counted.size()));
  for (const double number : counted) {
    writer.Integer(static_cast<int64_t>(number));
  }
}

PooledStatistics PooledStatistics::Load(ByteReader& reader) {
  PooledStatistics statistics;
  statistics.sums_ = PooledSums::Load(reader);
  CodesInUse& codes = statistics.codes_;
  for (int64_t* count : {&codes.total, &codes.at_lowest, &codes.at_highest}) {
    *count = LoadCount(reader);
  }
  for (uint8_t& byte : codes.used) {
    const int64_t value = reader.Integer();
    if (value < 0 || value > 255) {
      reader.Fail();
    }
    byte = static_cast<uint8_t>(value);
  }
  const size_t channels = reader.Count();
  for (size_t i = 0; reader.ok() && i < channels; ++i) {
    Channel channel;
    channel.x2 = ExactSum::Load(reader);
    channel.e2 = ExactSum::Load(reader);
    statistics.channels_.push_back(std::move(channel));
  }
  const size_t bins = reader.Count();
  for (size_t i = 0; reader.ok() && i < bins; ++i) {
    const int64_t bin = reader.Integer();
    if (!statistics.errors_.AddBin(bin, LoadCount(reader))) {
      reader.Fail();
    }
  }
  std::vector<double> counted;
  const size_t numbers = reader.Count();
  for (size_t i = 0; reader.ok() && i < numbers; ++i) {
    counted.push_back(static_cast<double>(reader.Integer()));
  }
  if (reader.ok()) {
    statistics.histograms_ = PairHistograms::FromNumbers(counted);
  }
  return statistics;
}

}  // namespace ns
