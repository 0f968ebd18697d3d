#include "ns/suite/model_outputs.h"

#include <ATen/core/Tensor.h>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "ir/base/torch_errors.h"
#include "ns/batches/output_tensors.h"
#include "ns/suite/record_figures.h"
#include "passes/runtime/loggers/channel_dim.h"
#include "passes/runtime/statistics/tensor_statistics.h"

namespace ns {
namespace {

bool HoldsNumbers(const at::Tensor& tensor) {
  return tensor.is_floating_point() || tensor.is_quantized();
}

absl::StatusOr<TensorStatistics> Compare(const at::Tensor& x,
                                         const at::Tensor& y) {
  TensorStatisticsOptions options;
  options.channel_dim = ChannelDimIn(ChannelDim::kByRank, x.dim());
  return CatchTorchErrors([&] {
    return CompareTensors(x.is_quantized() ? x.dequantize() : x, y, options);
  });
}

}  // namespace

PairRecord& ModelOutputs::RecordAt(const std::string& place) {
  const auto found = absl::c_find_if(
      outputs_, [&](const auto& output) { return output.first == place; });
  return found == outputs_.end()
             ? outputs_.emplace_back(place, PairRecord()).second
             : found->second;
}

void ModelOutputs::Add(const c10::IValue& of_float,
                       const c10::IValue& of_quantized) {
  for (const auto& [place, x, y] :
       PairByPlace(OutputTensors(of_float), OutputTensors(of_quantized))) {
    if (!x.defined() || !y.defined() || !HoldsNumbers(x) || !HoldsNumbers(y)) {
      continue;
    }
    if (x.sizes() != y.sizes()) {
      LookForExchange(place, x, y);
      continue;
    }
    // An output that cannot be compared, such as a sparse one, has no figures.
    const auto statistics = Compare(x, y);
    if (statistics.ok()) {
      PairRecord& record = RecordAt(place);
      if (record.batches.empty()) {
        record.shape = y.sizes().vec();
        if (statistics->sums.SqnrDb() < kExchangeBelowDb) {
          LookForExchange(place, x, y);
        }
      }
      record.constant.Add(x, y, ChannelDimIn(ChannelDim::kByRank, x.dim()),
                          statistics->channels);
      record.pooled.Merge(*statistics);
      record.batches.push_back(statistics->sums);
    }
  }
}

void ModelOutputs::LookForExchange(const std::string& place,
                                   const at::Tensor& x, const at::Tensor& y) {
  if (absl::c_none_of(exchanged_, [&](const auto& known) {
        return known.first == place;
      })) {
    exchanged_.emplace_back(place, FindExchangedAxes(x, y));
  }
}

std::vector<ExchangedOutput> ModelOutputs::Exchanged() const {
  std::vector<ExchangedOutput> exchanged;
  for (const auto& [place, axes] : exchanged_) {
    if (axes) {
      exchanged.push_back({place, {axes->first, axes->second, axes->sqnr_db}});
    }
  }
  return exchanged;
}

std::vector<ModuleOutputComparison> ModelOutputs::Figures() const {
  std::vector<ModuleOutputComparison> figures;
  for (const auto& [place, record] : outputs_) {
    figures.push_back(
        {place, "", "", FiguresOfRecord(record, /*worst_channels=*/0)});
  }
  return figures;
}

}  // namespace ns
