#include "ns/suite/user_figures.h"

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ns/result/figure_kinds.h"
#include "ns/result/output_label.h"

namespace ns {
namespace {

at::Tensor CopyInFloat(const at::Tensor& tensor) {
  return tensor.is_quantized() ? tensor.dequantize() : tensor.detach().clone();
}

}  // namespace

UserFigures::UserFigures(std::string place,
                         const std::vector<UserMetric>* metrics)
    : place_(std::move(place)), metrics_(metrics), sums_(metrics->size()) {}

void UserFigures::See(const at::Tensor& x, const at::Tensor& y) {
  if (!status_.ok()) {
    return;
  }
  ++calls_;
  for (size_t i = 0; i < metrics_->size(); ++i) {
    const UserMetric& metric = (*metrics_)[i];
    const absl::StatusOr<double> value =
        Annotated(absl::StrCat("metric '", metric.name, "' at the ", place_),
                  CatchTorchErrors("it fails", [&] {
                    return metric.value(CopyInFloat(x), CopyInFloat(y));
                  }));
    if (!value.ok()) {
      status_ = value.status();
      return;
    }
    sums_[i].of_calls += *value;
  }
}

absl::Status UserFigures::EndBatch() {
  if (calls_ > 0 && status_.ok()) {
    for (Sum& sum : sums_) {
      sum.of_batches.Add(sum.of_calls / static_cast<double>(calls_));
      sum.of_calls = 0;
    }
    ++batches_;
  }
  calls_ = 0;
  return status_;
}

std::vector<UserFigure> UserFigures::Means() const {
  std::vector<UserFigure> means;
  for (size_t i = 0; batches_ > 0 && i < sums_.size(); ++i) {
    means.push_back({(*metrics_)[i].name, sums_[i].of_batches.Value() /
                                              static_cast<double>(batches_)});
  }
  return means;
}

void UserFigures::Save(ByteWriter& writer) const {
  writer.Integer(batches_);
  writer.Integer(static_cast<int64_t>(sums_.size()));
  for (const Sum& sum : sums_) {
    sum.of_batches.Save(writer);
  }
}

void UserFigures::Merge(ByteReader& reader) {
  batches_ += reader.Integer();
  if (reader.Count() != sums_.size()) {
    reader.Fail();
    return;
  }
  for (Sum& sum : sums_) {
    sum.of_batches.Merge(ExactSum::Load(reader));
  }
}

std::vector<std::string> NanWarnings(
    const std::vector<std::pair<std::string, const ActivationComparison*>>&
        places) {
  struct Nans {
    int64_t count = 0;
    std::string first;
  };
  std::map<std::string, Nans> by_metric;
  for (const auto& [place, figures] : places) {
    for (const UserFigure& figure : figures->user_figures) {
      if (std::isnan(figure.value) && by_metric[figure.metric].count++ == 0) {
        by_metric[figure.metric].first = place;
      }
    }
  }
  std::vector<std::string> warnings;
  for (const auto& [metric, nans] : by_metric) {
    warnings.push_back(absl::StrCat(
        "metric '", metric, "' is nan at ", nans.count,
        nans.count == 1 ? " place, the " : " places, the first is the ",
        nans.first));
  }
  return warnings;
}

std::vector<std::string> NanWarnings(const ComparisonResult& result) {
  std::vector<std::pair<std::string, const ActivationComparison*>> places;
  for (const LayerComparison& layer : result.layers) {
    const auto add = [&](const std::string& output) {
      return [&, name = OutputLabel(layer.name, output)](
                 const FigureKind& kind, const ActivationComparison& figures) {
        places.emplace_back(absl::StrCat(kind.key, " of ", name), &figures);
      };
    };
    ForEachValues(layer, add(""));
    for (const OutputComparison& output : layer.outputs) {
      ForEachValues(output, add(output.name));
    }
  }
  return NanWarnings(places);
}

}  // namespace ns
