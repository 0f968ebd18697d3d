#include "passes/runtime/loggers/pair_accumulator.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "passes/runtime/tensor_fingerprint.h"

namespace ns {
namespace {

// What PairStatistics::SqnrDb reads.
void SaveBatch(const PairStatistics& batch, ByteWriter& writer) {
  writer.Integer(batch.count);
  writer.Double(batch.sum_x2);
  writer.Double(batch.sum_e2);
  writer.Double(batch.max_abs_error);
}

PairStatistics LoadBatch(ByteReader& reader) {
  PairStatistics batch;
  batch.count = reader.Integer();
  batch.sum_x2 = reader.Double();
  batch.sum_e2 = reader.Double();
  batch.max_abs_error = reader.Double();
  return batch;
}

}  // namespace

PairAccumulator PairAccumulator::FromRecord(const PairRecord& record,
                                            bool by_batch) {
  PairAccumulator accumulator(by_batch);
  accumulator.pooled_.Add(record.pooled);
  for (const PairStatistics& trip : record.trips) {
    accumulator.trips_.emplace_back().Add(trip);
  }
  const auto batches = static_cast<int64_t>(record.batches.size());
  accumulator.first_ = batches > 0 ? 0 : -1;
  if (by_batch) {
    accumulator.batches_ = record.batches;
    accumulator.numbers_.resize(record.batches.size());
    std::iota(accumulator.numbers_.begin(), accumulator.numbers_.end(), 0);
  }
  accumulator.batch_number_ = batches;
  accumulator.shape_ = record.shape;
  accumulator.constant_ = record.constant;
  if (record.exchanged) {
    accumulator.misshapen_ = {0, record.exchanged};
  }
  accumulator.only_x_ = record.only_x;
  accumulator.only_y_ = record.only_y;
  return accumulator;
}

void PairAccumulator::Add(const at::Tensor& x, const at::Tensor& y,
                          const TensorStatistics& statistics,
                          int64_t channel_dim, std::optional<size_t> trip) {
  pooled_.Add(statistics);
  constant_.Add(x, y, channel_dim, statistics.channels);
  if (empty() && !far_apart_ && statistics.sums.SqnrDb() < kExchangeBelowDb) {
    far_apart_ = {batch_number_, FindExchangedAxes(x, y)};
  }
  batch_.Merge(statistics.sums);
  if (trip) {
    if (trips_.size() <= *trip) {
      trips_.resize(*trip + 1);
    }
    trips_[*trip].Add(statistics.sums);
  }
  if (empty() && !compared_) {
    shape_ = x.sizes().vec();
  }
  compared_ = true;
}

void PairAccumulator::AddMisshapen(const at::Tensor& x, const at::Tensor& y) {
  if (!misshapen_) {
    misshapen_ = {batch_number_, FindExchangedAxes(x, y)};
  }
}

void PairAccumulator::AddFingerprints(const at::Tensor& x, const at::Tensor& y,
                                      int64_t call) {
  const uint64_t seed = (static_cast<uint64_t>(batch_number_) << 32) |
                        static_cast<uint64_t>(call);
  AddFingerprints({TensorFingerprint(x, seed), TensorFingerprint(y, seed)});
}

void PairAccumulator::AddFingerprints(const PairFingerprints& more) {
  if (!fingerprints_) {
    fingerprints_.emplace();
  }
  fingerprints_->x += more.x;
  fingerprints_->y += more.y;
}

void PairAccumulator::AddAlone(int64_t only_x, int64_t only_y) {
  only_x_ += only_x;
  only_y_ += only_y;
}

void PairAccumulator::AddProblem(std::string problem) {
  problem_ = std::move(problem);
  batch_of_problem_ = batch_number_;
}

void PairAccumulator::EndBatch() {
  if (compared_) {
    first_ = empty() ? batch_number_ : std::min(first_, batch_number_);
  }
  if (compared_ && by_batch_) {
    numbers_.push_back(batch_number_);
    batches_.push_back(batch_);
  }
  batch_ = PairStatistics();
  compared_ = false;
  ++batch_number_;
}

std::vector<size_t> PairAccumulator::Order() const {
  std::vector<size_t> order(numbers_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto is_before = [&](size_t a, size_t b) {
    return numbers_[a] < numbers_[b];
  };
  if (!std::is_sorted(order.begin(), order.end(), is_before)) {
    std::sort(order.begin(), order.end(), is_before);
  }
  return order;
}

PairRecord PairAccumulator::Record() const {
  PairRecord record;
  record.pooled = pooled_.Value();
  if (by_batch_) {
    for (const size_t i : Order()) {
      record.batches.push_back(batches_[i]);
    }
  } else if (!empty()) {
    record.batches = {record.pooled.sums};
  }
  for (const PooledSums& trip : trips_) {
    record.trips.push_back(trip.Value());
  }
  record.shape = shape_;
  record.constant = constant_;
  if (far_apart_) {
    record.exchanged = far_apart_->found;
  } else if (misshapen_) {
    record.exchanged = misshapen_->found;
  }
  record.fingerprints = fingerprints_;
  record.only_x = only_x_;
  record.only_y = only_y_;
  return record;
}

void PairAccumulator::Merge(const PairAccumulator& other) {
  pooled_.Merge(other.pooled_);
  trips_.resize(std::max(trips_.size(), other.trips_.size()));
  for (size_t i = 0; i < other.trips_.size(); ++i) {
    trips_[i].Merge(other.trips_[i]);
  }
  constant_.Merge(other.constant_);
  if (!other.empty() && (empty() || other.first_ < first_)) {
    first_ = other.first_;
    shape_ = other.shape_;
    far_apart_ = other.far_apart_;
  }
  if (other.misshapen_ &&
      (!misshapen_ || other.misshapen_->batch < misshapen_->batch)) {
    misshapen_ = other.misshapen_;
  }
  if (other.fingerprints_) {
    AddFingerprints(*other.fingerprints_);
  }
  numbers_.insert(numbers_.end(), other.numbers_.begin(), other.numbers_.end());
  batches_.insert(batches_.end(), other.batches_.begin(), other.batches_.end());
  AddAlone(other.only_x_, other.only_y_);
  if (other.batch_of_problem_ > batch_of_problem_) {
    problem_ = other.problem_;
    batch_of_problem_ = other.batch_of_problem_;
  }
}

void PairAccumulator::SaveLook(const std::optional<Look>& look,
                               ByteWriter& writer) {
  writer.Integer(!look ? 0 : look->found ? 2 : 1);
  if (!look) {
    return;
  }
  writer.Integer(look->batch);
  if (look->found) {
    writer.Integer(look->found->first);
    writer.Integer(look->found->second);
    writer.Double(look->found->sqnr_db);
  }
}

std::optional<PairAccumulator::Look> PairAccumulator::LoadLook(
    ByteReader& reader) {
  const int64_t kind = reader.Integer();
  if (kind == 0) {
    return std::nullopt;
  }
  if (kind != 1 && kind != 2) {
    reader.Fail();
    return std::nullopt;
  }
  Look look;
  look.batch = reader.Integer();
  if (kind == 2) {
    ExchangedAxes axes;
    axes.first = reader.Integer();
    axes.second = reader.Integer();
    axes.sqnr_db = reader.Double();
    look.found = axes;
  }
  return look;
}

void PairAccumulator::Save(ByteWriter& writer) const {
  writer.Integer(by_batch_ ? 1 : 0);
  pooled_.Save(writer);
  writer.Integer(static_cast<int64_t>(trips_.size()));
  for (const PooledSums& trip : trips_) {
    trip.Save(writer);
  }
  writer.Integer(first_);
  writer.Integer(static_cast<int64_t>(numbers_.size()));
  for (const size_t i : Order()) {
    writer.Integer(numbers_[i]);
    SaveBatch(batches_[i], writer);
  }
  writer.Integer(static_cast<int64_t>(shape_.size()));
  for (const int64_t size : shape_) {
    writer.Integer(size);
  }
  constant_.Save(writer);
  SaveLook(far_apart_, writer);
  SaveLook(misshapen_, writer);
  writer.Integer(fingerprints_ ? 1 : 0);
  if (fingerprints_) {
    writer.Integer(static_cast<int64_t>(fingerprints_->x));
    writer.Integer(static_cast<int64_t>(fingerprints_->y));
  }
  writer.Integer(only_x_);
  writer.Integer(only_y_);
  writer.Text(problem_);
  writer.Integer(batch_of_problem_);
}

PairAccumulator PairAccumulator::Load(ByteReader& reader) {
  PairAccumulator accumulator(reader.Integer() == 1);
  accumulator.pooled_ = PooledStatistics::Load(reader);
  const size_t trips = reader.Count();
  for (size_t i = 0; reader.ok() && i < trips; ++i) {
    accumulator.trips_.push_back(PooledSums::Load(reader));
  }
  accumulator.first_ = reader.Integer();
  const size_t batches = reader.Count();
  for (size_t i = 0; reader.ok() && i < batches; ++i) {
    accumulator.numbers_.push_back(reader.Integer());
    accumulator.batches_.push_back(LoadBatch(reader));
  }
  const size_t dimensions = reader.Count();
  for (size_t i = 0; i < dimensions; ++i) {
    accumulator.shape_.push_back(reader.Integer());
  }
  accumulator.constant_ = ConstantChannels::Load(reader);
  accumulator.far_apart_ = LoadLook(reader);
  accumulator.misshapen_ = LoadLook(reader);
  if (const int64_t has = reader.Integer(); has == 1) {
    PairFingerprints& fingerprints = accumulator.fingerprints_.emplace();
    fingerprints.x = static_cast<uint64_t>(reader.Integer());
    fingerprints.y = static_cast<uint64_t>(reader.Integer());
  } else if (has != 0) {
    reader.Fail();
  }
  accumulator.only_x_ = reader.Integer();
  accumulator.only_y_ = reader.Integer();
  accumulator.problem_ = reader.Text();
  accumulator.batch_of_problem_ = reader.Integer();
  return accumulator;
}

}  // namespace ns
