#include "ns/timing/slow_layers.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "ns/result/coverage.h"
#include "passes/lowering/lowered_ops.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

constexpr double kLeastRatio = 1.1;
constexpr double kLeastShare = 0.01;

bool Dequantizes(const LayerComparison& layer) {
  return absl::c_any_of(
      layer.quantized_side.subgraph, [](const std::string& op) {
        const OpRow* const row = FindOp(op);
        return row != nullptr && row->role == Role::kDequantize;
      });
}

bool PacksWeights(const LayerComparison& layer) {
  return absl::c_any_of(
      layer.quantized_side.subgraph,
      [](const std::string& op) { return absl::EndsWith(op, "_prepack"); });
}

void SetReason(const LayerComparison& layer, SlowLayer& slow) {
  if (PacksWeights(layer)) {
    slow.reason = "it packs its weight in every run; freeze the model";
    return;
  }
  switch (layer.runs_in.value_or(RunsIn::kInt8)) {
    case RunsIn::kFloat:
      slow.reason = Dequantizes(layer)
                        ? "it computes in float and dequantizes its input first"
                        : "it computes in float in both models";
      return;
    case RunsIn::kInt8Weights:
      slow.reason = "it quantizes its input in every run";
      break;
    case RunsIn::kHalfWeights:
      slow.reason = "it converts its weight from fp16 in every run";
      return;
    case RunsIn::kInt8:
      slow.reason = IsLoweredOp(layer.quantized_side.op)
                        ? "the ns kernel is slower than LibTorch's float kernel"
                        : "LibTorch's int8 kernel is slower than its float "
                          "kernel";
      break;
  }
  slow.has_ns_kernel = !IsLoweredOp(layer.quantized_side.op) &&
                       FindLowering(layer.quantized_side.op).ok();
}

}  // namespace

std::vector<SlowLayer> SlowLayers(const ComparisonResult& result) {
  std::vector<SlowLayer> slow_layers;
  if (!result.times) {
    return slow_layers;
  }
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const std::optional<LayerTime>& time = result.layers[i].time;
    if (!time || time->float_us <= 0 ||
        time->quantized_us < kLeastRatio * time->float_us) {
      continue;
    }
    SlowLayer slow;
    slow.layer = i;
    slow.extra_us = time->quantized_us - time->float_us;
    if (slow.extra_us >= kLeastShare * result.times->quantized_us) {
      SetReason(result.layers[i], slow);
      slow_layers.push_back(slow);
    }
  }
  absl::c_stable_sort(slow_layers, [](const SlowLayer& a, const SlowLayer& b) {
    return a.extra_us > b.extra_us;
  });
  return slow_layers;
}

}  // namespace ns
