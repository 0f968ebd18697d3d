#include "passes/quantization/rescale/equalize_layers.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/rescale/channel_flow.h"
#include "passes/quantization/rescale/layer_pairs.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// Factors nearer to 1 move nothing: ranges are then about the same. Once one is
// farther away, all are moved until they are nearer by half.
constexpr double kFirstStep = 0.01;
constexpr double kLastStep = kFirstStep / 2;
// Chains of depthwise layers come to rest the later, the longer they are: of 12
// layers in a row after some 100 rounds.
constexpr int kMostRounds = 1000;

at::Tensor LargestOfBlocks(const at::Tensor& ranges, int64_t block) {
  return block == 1 ? ranges : ranges.reshape({-1, block}).amax(1);
}

double SpreadOf(const at::Tensor& ranges) {
  const at::Tensor alive = ranges.masked_select(HasRange(ranges));
  return alive.numel() == 0 ? 1 : (alive.max() / alive.min()).item<double>();
}

// The greatest distance of factors from 1, as that of their logarithms from 0.
double StepOf(const at::Tensor& factors) {
  return factors.log().abs().max().item<double>();
}

struct Pair : LayerPair {
  // Of the first layer.
  const Node* node = nullptr;
  std::string name;
  std::string op;
  std::string second_name;
  // Whether the clamp, if there is one, gets bounds for each channel.
  bool rescales_clamp = false;
  // The least factors of channels, and the channels whose factor stays;
  // undefined where outputs are not known.
  at::Tensor least;
  at::Tensor stays;
  // What the first layer was divided by so far.
  at::Tensor factors;
  double spread_before = 1;

  at::Tensor RangesOfFirst() const { return first->RangesOfOutputs(); }
  at::Tensor RangesOfSecond() const {
    return LargestOfBlocks(second->RangesOfInputs(), inputs_a_channel);
  }
  double Spread() const {
    return std::max(SpreadOf(RangesOfFirst()), SpreadOf(RangesOfSecond()));
  }
  bool IsMoved() const { return !factors.eq(1).all().item<bool>(); }

  // Returns what to divide the first layer by now.
  at::Tensor NextFactors() const {
    const at::Tensor first_ranges = RangesOfFirst();
    const at::Tensor second_ranges = RangesOfSecond();
    at::Tensor next = (first_ranges / second_ranges).sqrt();
    next =
        at::where(HasRange(first_ranges).logical_and(HasRange(second_ranges)),
                  next, at::ones_like(next));
    if (least.defined()) {
      next = at::maximum(factors * next, least) / factors;
      next = at::where(stays, at::ones_like(next), next);
    }
    return next;
  }

  void Move(const at::Tensor& next) {
    factors = factors * next;
    first->DivideOutputs(next);
    second->MultiplyInputs(next.repeat_interleave(inputs_a_channel));
  }
};

// Says how far the factors of `pair` may go where its outputs are known.
absl::Status LimitBy(const at::Tensor& largest_outputs, Pair& pair) {
  const at::Tensor largest =
      largest_outputs.detach().to(at::kDouble).reshape({-1});
  if (largest.size(0) != pair.first->outputs() ||
      !largest.isfinite().all().item<bool>() ||
      largest.lt(0).any().item<bool>()) {
    return absl::InvalidArgumentError(
        absl::StrCat(pair.name,
                     ": its largest outputs are not one finite number for each "
                     "of ",
                     pair.first->outputs(), " channels"));
  }
  // Outputs are known in front of the clamp, or behind it, where one that it
  // clips has its bound as its largest value.
  const bool keeps_clamp = pair.clamp != nullptr && !pair.rescales_clamp;
  double most = largest.max().item<double>();
  if (keeps_clamp) {
    most = std::min(most, pair.clamp_max);
  }
  pair.least = most > 0 ? largest / most : at::zeros_like(largest);
  pair.stays = keeps_clamp ? largest >= pair.clamp_max * (1 - 1e-6)
                           : at::zeros_like(largest, at::kBool);
  return absl::OkStatus();
}

// Moves factors until none of a pair is far from 1.
void Balance(std::vector<Pair>& pairs) {
  double step = 0;
  for (const Pair& pair : pairs) {
    step = std::max(step, StepOf(pair.NextFactors()));
  }
  if (step <= kFirstStep) {
    return;
  }
  for (int round = 0; round < kMostRounds && step > kLastStep; ++round) {
    step = 0;
    for (Pair& pair : pairs) {
      const at::Tensor next = pair.NextFactors();
      const double own = StepOf(next);
      if (own > kLastStep) {
        pair.Move(next);
      }
      step = std::max(step, own);
    }
  }
}

// %y = aten::relu6(%x) becomes the minimum of a relu and bounds of channels.
absl::Status RescaleClamp(GraphEditor& editor, const Pair& pair) {
  Node& clamp = *pair.clamp;
  at::Tensor bounds =
      (pair.clamp_max / pair.factors).to(pair.first->Weight().scalar_type());
  if (pair.clamped.is_flattened) {
    bounds = bounds.repeat_interleave(pair.inputs_a_channel);
  }
  std::vector<int64_t> sizes(pair.clamped.dim, 1);
  sizes[0] = bounds.size(0);
  NS_ASSIGN_OR_RETURN(
      Value * relu, editor.InsertBefore(clamp, "aten::relu", {clamp.input(0)}));
  relu->setType(clamp.output()->type());
  NS_ASSIGN_OR_RETURN(Value * minimum,
                      editor.InsertBefore(clamp, "aten::minimum",
                                          {relu, bounds.reshape(sizes)}));
  editor.ReplaceNode(clamp, *minimum);
  return absl::OkStatus();
}

class Equalizer {
 public:
  Equalizer(ModelGraph& model, const EqualizeLayers::Options& options,
            PassContext& context)
      : model_(model),
        options_(options),
        context_(context),
        factors_(model.graph()) {}

  absl::StatusOr<EqualizationReport> Run() {
    NS_RETURN_IF_ERROR(FindPairs());
    Balance(pairs_);
    if (const absl::Status finite = layers_.CheckFinite(); !finite.ok()) {
      for (const Pair& pair : pairs_) {
        Refuse(*pair.node, pair.name, pair.op, finite.message());
      }
      return std::move(report_);
    }
    GraphEditor editor(model_.graph(), &context_);
    for (const Pair& pair : pairs_) {
      if (pair.rescales_clamp && pair.IsMoved()) {
        NS_RETURN_IF_ERROR(RescaleClamp(editor, pair));
      }
    }
    layers_.Write();
    for (const Pair& pair : pairs_) {
      if (pair.IsMoved()) {
        report_.pairs.push_back({pair.name, pair.second_name,
                                 pair.spread_before, pair.Spread(),
                                 pair.rescales_clamp});
      }
    }
    return std::move(report_);
  }

 private:
  absl::Status FindPairs() {
    const std::vector<FloatSubgraph> subgraphs =
        FindFloatSubgraphs(model_.graph());
    llvm::DenseMap<const Node*, std::string> names;
    for (const FloatSubgraph& subgraph : subgraphs) {
      names[subgraph.subgraph.base] = subgraph.name;
    }
    for (const FloatSubgraph& subgraph : subgraphs) {
      Node* node = subgraph.subgraph.base;
      if (node != subgraph.subgraph.start || !IsScalableLayer(*node)) {
        continue;
      }
      const absl::StatusOr<LayerPair> found =
          PairFrom(*node, factors_, layers_);
      const absl::Status added =
          found.ok() ? Add(subgraph, *found, names[found->second_node])
                     : found.status();
      if (IsRefusal(added)) {
        Refuse(*node, subgraph.name, subgraph.op, added.message());
      } else {
        NS_RETURN_IF_ERROR(added);
      }
    }
    return absl::OkStatus();
  }

  absl::Status Add(const FloatSubgraph& subgraph, const LayerPair& found,
                   const std::string& second_name) {
    if (options_.takes_pair &&
        !options_.takes_pair(subgraph.name, second_name)) {
      return absl::OkStatus();
    }
    Pair pair;
    static_cast<LayerPair&>(pair) = found;
    pair.node = subgraph.subgraph.base;
    pair.name = subgraph.name;
    pair.op = subgraph.op;
    pair.second_name = second_name;
    const auto known = options_.largest_outputs.find(pair.name);
    const bool is_known = known != options_.largest_outputs.end();
    if (found.clamp != nullptr) {
      if (!is_known && options_.clamps == EqualizeLayers::Clamps::kKeep) {
        return Refusal("a clamp is behind it, whose input is not known");
      }
      pair.rescales_clamp =
          !is_known || options_.clamps == EqualizeLayers::Clamps::kRescale;
    }
    if (is_known) {
      NS_RETURN_IF_ERROR(LimitBy(known->second, pair));
    }
    pair.factors = at::ones({pair.first->outputs()}, at::kDouble);
    pair.spread_before = pair.Spread();
    pairs_.push_back(std::move(pair));
    return absl::OkStatus();
  }

  void Refuse(const Node& node, const std::string& name, const std::string& op,
              absl::string_view reason) {
    context_.Remark(node, reason);
    report_.refused.push_back({name, op, std::string(reason)});
  }

  ModelGraph& model_;
  const EqualizeLayers::Options& options_;
  PassContext& context_;
  const ChannelFactors factors_;
  ScaledLayers layers_;
  std::vector<Pair> pairs_;
  EqualizationReport report_;
};

}  // namespace

absl::StatusOr<EqualizationReport> EqualizeLayers::Equalize(
    ModelGraph& model, PassContext& context) const {
  return CatchTorchErrors("equalizing layers", [&] {
    return Equalizer(model, options_, context).Run();
  });
}

absl::StatusOr<bool> EqualizeLayers::Run(ModelGraph& model,
                                         PassContext& context) const {
  NS_ASSIGN_OR_RETURN(const EqualizationReport report,
                      Equalize(model, context));
  return !report.pairs.empty();
}

}  // namespace ns
