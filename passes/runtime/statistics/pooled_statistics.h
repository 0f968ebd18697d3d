// Adds up the statistics of many pairs of tensors without rounding.
#ifndef PASSES_RUNTIME_STATISTICS_POOLED_STATISTICS_H_
#define PASSES_RUNTIME_STATISTICS_POOLED_STATISTICS_H_

#include <cstdint>
#include <vector>

#include "ir/base/byte_stream.h"
#include "passes/runtime/statistics/codes_in_use.h"
#include "passes/runtime/statistics/error_histogram.h"
#include "passes/runtime/statistics/exact_sum.h"
#include "passes/runtime/statistics/pair_histograms.h"
#include "passes/runtime/statistics/pair_statistics.h"
#include "passes/runtime/statistics/tensor_statistics.h"

namespace ns {

// The PairStatistics of many pairs. What is read does not depend on the order
// in which they were added or merged.
class PooledSums {
 public:
  void Add(const PairStatistics& part);
  void Merge(const PooledSums& other);

  // Returns the sums, each rounded once.
  PairStatistics Value() const;

  // Load fails the reader for bytes that Save cannot have written.
  void Save(ByteWriter& writer) const;
  static PooledSums Load(ByteReader& reader);

 private:
  // Its counts and extremes; the sums below take the place of its own.
  PairStatistics others_;
  ExactSum x2_;
  ExactSum y2_;
  ExactSum xy_;
  ExactSum e2_;
  ExactSum e_;
};

// The TensorStatistics of many pairs, likewise.
class PooledStatistics {
 public:
  // Channels add up by index. The longer list wins.
  void Add(const TensorStatistics& part);
  void Merge(const PooledStatistics& other);

  TensorStatistics Value() const;
  PairStatistics Sums() const { return sums_.Value(); }

  // Where CompareTensors counts values and errors.
  PairHistograms& histograms() { return histograms_; }

  // Load fails the reader for bytes that Save cannot have written, and throws
  // c10::Error for histograms that cannot be.
  void Save(ByteWriter& writer) const;
  static PooledStatistics Load(ByteReader& reader);

 private:
  struct Channel {
    ExactSum x2;
    ExactSum e2;
  };

  PooledSums sums_;
  CodesInUse codes_;
  std::vector<Channel> channels_;
  ErrorHistogram errors_;
  PairHistograms histograms_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_POOLED_STATISTICS_H_
