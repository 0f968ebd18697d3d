#include "ns/timing/time_layers.h"

#include <ATen/Parallel.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/graph_copy.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseMap.h"
#include "ns/timing/timed_model.h"

namespace ns {
namespace {

using ::torch::jit::Node;

constexpr int64_t kLeastRuns = 3;
constexpr int64_t kMostRuns = 100;
constexpr std::chrono::seconds kMostTime(2);  // of both models together

// The slots of one model: one for each layer, then one for each op that is not
// in a layer.
class Slots {
 public:
  // `side` is the side of `matches` in `graph`. Layers are the first slots, in
  // the order of `matches`.
  Slots(const MatchResult& matches, MatchedSide SubgraphMatch::*side,
        torch::jit::Graph& graph)
      : layers_(matches.matches.size()) {
    // A quantize point shares the subgraph whose output it quantizes with the
    // layer that it belongs to.
    for (const bool of_points : {false, true}) {
      for (size_t i = 0; i < layers_; ++i) {
        const SubgraphMatch& match = matches.matches[i];
        if (match.is_quantize_point == of_points) {
          for (const Node* node : (match.*side).subgraph.nodes) {
            slots_.try_emplace(node, i);
          }
        }
      }
    }
    ForEachNode(graph.block(), [&](const Node* node) {
      if (const std::optional<size_t> layer = LayerOf(node)) {
        slots_[node] = *layer;
      } else {
        const std::string op(OpName(*node));
        const auto [found, is_new] =
            ops_.try_emplace(op, layers_ + ops_.size());
        slots_[node] = found->second;
        nodes_.resize(ops_.size());
        ++nodes_[found->second - layers_];
      }
    });
  }

  size_t size() const { return layers_ + ops_.size(); }

  size_t Of(const Node& node) const { return slots_.lookup(&node); }

  // Returns the times of the ops that are in no layer and take any.
  std::vector<OpTime> BetweenLayers(absl::string_view model,
                                    const std::vector<double>& times) const {
    std::vector<OpTime> between;
    for (const auto& [op, slot] : ops_) {
      if (times[slot] > 0) {
        between.push_back(
            {std::string(model), op, nodes_[slot - layers_], times[slot]});
      }
    }
    std::sort(between.begin(), between.end(),
              [](const OpTime& a, const OpTime& b) {
                return std::tie(b.us, a.op) < std::tie(a.us, b.op);
              });
    return between;
  }

 private:
  // The layer of a node, or of the prim::If around it.
  std::optional<size_t> LayerOf(const Node* node) const {
    for (; node != nullptr && node->owningBlock() != nullptr;
         node = node->owningBlock()->owningNode()) {
      if (const auto found = slots_.find(node);
          found != slots_.end() && found->second < layers_) {
        return found->second;
      }
    }
    return std::nullopt;
  }

  size_t layers_;
  llvm::DenseMap<const Node*, size_t> slots_;
  std::map<std::string, size_t> ops_;
  // How many nodes each op has, in the order of slots.
  std::vector<int64_t> nodes_;
};

absl::StatusOr<TimedModel> Timed(absl::string_view name,
                                 const ModelGraph& model, const Slots& slots) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy, model.Clone());
  const GraphCopy pairs(model.graph(), copy.graph());
  llvm::DenseMap<const Node*, size_t> slot_of;
  ForEachNode(model.graph().block(), [&](const Node* node) {
    slot_of[pairs.Of(node)] = slots.Of(*node);
  });
  return TimedModel::Create(
      name, std::move(copy), slots.size(),
      [&](const Node& node) { return slot_of.lookup(&node); });
}

double Sum(const std::vector<double>& times) {
  double sum = 0;
  for (const double time : times) {
    sum += time;
  }
  return sum;
}

}  // namespace

absl::Status TimeLayers(const ModelGraph& float_model,
                        const ModelGraph& quantized_model,
                        const MatchResult& matches, const Batch& batch,
                        ComparisonResult& result) {
  const Slots of_float(matches, &SubgraphMatch::a, float_model.graph());
  const Slots of_quantized(matches, &SubgraphMatch::b, quantized_model.graph());
  NS_ASSIGN_OR_RETURN(TimedModel a, Timed("float", float_model, of_float));
  NS_ASSIGN_OR_RETURN(TimedModel b,
                      Timed("quantized", quantized_model, of_quantized));
  ModelTimes times;
  const auto begin = std::chrono::steady_clock::now();
  while (times.runs < kLeastRuns ||
         (times.runs < kMostRuns &&
          std::chrono::steady_clock::now() - begin < kMostTime)) {
    NS_RETURN_IF_ERROR(a.Run(batch));
    NS_RETURN_IF_ERROR(b.Run(batch));
    ++times.runs;
  }
  times.samples = SamplesOf(batch);
  times.threads = at::get_num_threads();
  times.float_us = Sum(a.microseconds());
  times.quantized_us = Sum(b.microseconds());
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const double quantized_us = b.microseconds()[i];
    result.layers[i].time = LayerTime{
        a.microseconds()[i], quantized_us,
        times.quantized_us > 0 ? quantized_us / times.quantized_us : 0};
  }
  times.between_layers = of_float.BetweenLayers("float", a.microseconds());
  for (OpTime& op : of_quantized.BetweenLayers("quantized", b.microseconds())) {
    times.between_layers.push_back(std::move(op));
  }
  result.times = std::move(times);
  return absl::OkStatus();
}

}  // namespace ns
