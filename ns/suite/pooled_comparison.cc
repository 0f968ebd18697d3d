#include "ns/suite/pooled_comparison.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ns/result/metrics.h"
#include "ns/suite/record_figures.h"
#include "passes/runtime/statistics/pair_statistics.h"
#include "passes/runtime/statistics/tensor_statistics.h"

namespace ns {
namespace {

std::string ShapeText(const at::Tensor& tensor) {
  return absl::StrCat("[", absl::StrJoin(tensor.sizes(), ", "), "]");
}

}  // namespace

void PooledComparison::AddBatch(const std::vector<at::Tensor>& x,
                                const std::vector<at::Tensor>& y) {
  if (x.size() != y.size() && warning_.empty()) {
    warning_ = absl::StrCat(
        name_, ": the models came by ", x.size(), " and ", y.size(),
        " times in one batch (control flow differs); the common calls are "
        "compared");
  }
  if (!options_.integers && !x.empty() &&
      at::isIntegralType(x[0].scalar_type(), /*includeBool=*/true)) {
    return;
  }
  PairStatistics of_batch;
  bool compared = false;
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (x[i].sizes() != y[i].sizes()) {
      warning_ = absl::StrCat(name_, ": shapes differ, ", ShapeText(x[i]),
                              " and ", ShapeText(y[i]), "; not compared");
      continue;
    }
    const PairStatistics statistics = ComparePair(x[i], y[i]);
    if (!shape_) {
      shape_ = x[i].sizes().vec();
    }
    of_batch.Merge(statistics);
    if (options_.channels != ChannelDim::kNone) {
      TensorStatisticsOptions by_channel;
      by_channel.codes = false;
      by_channel.channel_dim = ChannelDimIn(options_.channels, x[i].dim());
      by_channel_.Add(CompareTensors(x[i], y[i], by_channel));
    }
    if (options_.in_loop) {
      if (trips_.size() <= i) {
        trips_.resize(i + 1);
      }
      trips_[i].Add(statistics);
    }
    compared = true;
  }
  if (compared) {
    pooled_.Add(of_batch);
    batch_sqnr_db_.push_back(of_batch.SqnrDb());
  }
}

std::optional<ActivationComparison> PooledComparison::Result() const {
  if (batch_sqnr_db_.empty()) {
    return std::nullopt;
  }
  ActivationComparison result;
  result.shape = *shape_;
  result.error = FiguresOf(pooled_.Value());
  result.batch_sqnr_db = batch_sqnr_db_;
  const TensorStatistics by_channel = by_channel_.Value();
  result.channels =
      SummaryOfChannels(by_channel.channels, by_channel.sums.count);
  for (const PooledSums& trip : trips_) {
    result.trip_sqnr_db.push_back(trip.Value().SqnrDb());
  }
  return result;
}

}  // namespace ns
