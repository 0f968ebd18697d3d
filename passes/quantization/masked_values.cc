#include "passes/quantization/masked_values.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "ir/refusal.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

constexpr double kCoarsestScores = 0.5;

bool IsSoftmax(const PreparedLayer& layer) {
  const OpRow* const row = FindOp(layer.op);
  return row != nullptr && row->family == "softmax";
}

}  // namespace

MaskedValues::MaskedValues(const std::vector<PreparedLayer>& layers, Find find)
    : find_(std::move(find)) {
  for (const PreparedLayer& layer : layers) {
    if (!IsSoftmax(layer) || layer.inputs.empty()) {
      continue;
    }
    const int64_t number = layer.inputs.front();
    const CalibratedValue* scores = find_(number);
    if (scores == nullptr || scores->observer->config().compat) {
      continue;
    }
    if (HoldsInfinities(number)) {
      reasons_[number] =
          "a softmax takes its values, some of which are infinite, as of masks";
    } else if (scores->status.ok() && scores->qparams.scale > kCoarsestScores) {
      reasons_[number] = absl::StrFormat(
          "a softmax takes its values, for which steps of %.2g "
          "are too coarse",
          scores->qparams.scale);
    }
  }
}

bool MaskedValues::HoldsInfinities(int64_t number) const {
  const CalibratedValue* observed = find_(number);
  return observed != nullptr && !observed->observer->config().compat &&
         observed->observer->InfCount() > 0;
}

absl::Status MaskedValues::Check(const PreparedLayer& layer) const {
  std::vector<int64_t> numbers = layer.inputs;
  numbers.push_back(layer.output);
  for (const int64_t number : numbers) {
    const auto reason = reasons_.find(number);
    if (reason != reasons_.end()) {
      return Refusal(reason->second);
    }
    if (layer.weight.empty() && HoldsInfinities(number)) {
      return Refusal("some of its values are infinite, as those of masks");
    }
  }
  return absl::OkStatus();
}

}  // namespace ns
