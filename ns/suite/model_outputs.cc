#include "ns/suite/model_outputs.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstddef>

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

ModelOutputs::Output& ModelOutputs::At(const std::string& place,
                                       std::pair<int64_t, int64_t> first) {
  const auto found = absl::c_find_if(
      outputs_, [&](const Output& output) { return output.place == place; });
  if (found != outputs_.end()) {
    found->first = std::min(found->first, first);
    return *found;
  }
  return outputs_.emplace_back(Output{place, first, PairAccumulator()});
}

void ModelOutputs::Sort() {
  absl::c_stable_sort(outputs_, [](const Output& a, const Output& b) {
    return a.first < b.first;
  });
}

void ModelOutputs::Add(const c10::IValue& of_float,
                       const c10::IValue& of_quantized) {
  int64_t index = 0;
  for (const auto& [place, x, y] :
       PairByPlace(OutputTensors(of_float), OutputTensors(of_quantized))) {
    ++index;
    if (!x.defined() || !y.defined() || !HoldsNumbers(x) || !HoldsNumbers(y)) {
      continue;
    }
    PairAccumulator& values = At(place, {batch_, index}).values;
    values.SetBatch(batch_);
    if (x.sizes() != y.sizes()) {
      values.AddMisshapen(x, y);
      continue;
    }
    // An output that cannot be compared, such as a sparse one, has no figures.
    const auto statistics = Compare(x, y);
    if (statistics.ok()) {
      values.Add(x, y, *statistics, ChannelDimIn(ChannelDim::kByRank, x.dim()));
      values.EndBatch();
    }
  }
  ++batch_;
  Sort();
}

std::vector<ExchangedOutput> ModelOutputs::Exchanged() const {
  std::vector<ExchangedOutput> exchanged;
  for (const Output& output : outputs_) {
    if (const auto axes = output.values.Record().exchanged) {
      exchanged.push_back(
          {output.place, {axes->first, axes->second, axes->sqnr_db}});
    }
  }
  return exchanged;
}

std::vector<ModuleOutputComparison> ModelOutputs::Figures() const {
  std::vector<ModuleOutputComparison> figures;
  for (const Output& output : outputs_) {
    if (!output.values.empty()) {
      figures.push_back(
          {output.place, "", "",
           FiguresOfRecord(output.values.Record(), /*worst_channels=*/0)});
    }
  }
  return figures;
}

void ModelOutputs::Merge(const ModelOutputs& other) {
  for (const Output& output : other.outputs_) {
    At(output.place, output.first).values.Merge(output.values);
  }
  Sort();
}

void ModelOutputs::Save(ByteWriter& writer) const {
  writer.Integer(static_cast<int64_t>(outputs_.size()));
  for (const Output& output : outputs_) {
    writer.Text(output.place);
    writer.Integer(output.first.first);
    writer.Integer(output.first.second);
    output.values.Save(writer);
  }
}

ModelOutputs ModelOutputs::Load(ByteReader& reader) {
  ModelOutputs outputs;
  const size_t count = reader.Count();
  for (size_t i = 0; reader.ok() && i < count; ++i) {
    Output output;
    output.place = reader.Text();
    output.first.first = reader.Integer();
    output.first.second = reader.Integer();
    output.values = PairAccumulator::Load(reader);
    outputs.outputs_.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace ns
