#include "ns/suite/try_changes.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "ns/suite/comparisons.h"
#include "ns/suite/pair_runner.h"
#include "passes/analysis/output_scale.h"
#include "passes/analysis/subgraph_bias.h"
#include "passes/analysis/subgraph_weights.h"
#include "passes/instrument/variants/insert_variant.h"
#include "passes/matching/matches/copied_matches.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/qconfig/default_observers.h"
#include "passes/rewrite/repack_layer.h"
#include "passes/runtime/dtype_casts.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/quantized_weight.h"
#include "passes/runtime/observers/values/exact_histogram.h"
#include "passes/runtime/observers/values/qparams.h"
#include "passes/runtime/observers/values/range_search.h"
#include "passes/runtime/observers/values/value_range.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// A weight is tried where it is so much nearer to the float one.
constexpr double kLeastWeightGainDb = 0.5;
// A scale that differs by less is the same.
constexpr double kSameScale = 0.02;
// Values that were calibrated for 7 bits, 127 steps, may go somewhat beyond.
constexpr double kMostStepsOfSevenBits = 1.5 * 127;

// One change, and the layer with it.
struct Change {
  TriedChange change;
  LayerVariant variant;
};

// What the shadow of a layer was seen to give.
struct ShadowValues {
  ExactHistogram histogram;
  // How the quantized layer gives it; undefined where that is not quint8.
  std::optional<LayerQParams> qparams;
};

std::vector<size_t> WorstLayers(const ComparisonResult& result) {
  std::vector<size_t> worst;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (layer.shadow && std::isfinite(layer.shadow->error.sqnr_db) &&
        layer.unpaired_input.empty()) {
      worst.push_back(i);
    }
  }
  absl::c_stable_sort(worst, [&](size_t a, size_t b) {
    return result.layers[a].shadow->error.sqnr_db <
           result.layers[b].shadow->error.sqnr_db;
  });
  worst.resize(std::min<size_t>(worst.size(), kMostTriedLayers));
  absl::c_sort(worst);
  return worst;
}

// `weight`, of the layer `node`, in int8.
at::Tensor QuantizedAnew(const at::Tensor& weight, const Node& node) {
  const OpFamily* family = FindOp(OpName(node))->family_row;
  const bool is_transposed = family->facts.weight_channel_dim == 1;
  return QuantizedWeight(weight.detach().to(at::kFloat),
                         (is_transposed ? DefaultWeightObserver()
                                        : DefaultPerChannelWeightObserver())
                             .config);
}

// The input of `node` that has its packed parameters, packed anew of `layer`.
absl::StatusOr<ConstantInput> PackedInput(const Node& node,
                                          const LayerParameters& layer) {
  NS_ASSIGN_OR_RETURN(c10::IValue packed, RepackLayer(node, layer));
  return ConstantInput{static_cast<size_t>(FindOp(OpName(node))->weight_input),
                       std::move(packed)};
}

// A change of the weight or the bias of `match`; nothing where none is tried.
absl::StatusOr<std::optional<Change>> ChangeOfParameters(
    const SubgraphMatch& match, const LayerComparison& layer) {
  const Node& base = *match.b.subgraph.base;
  const auto present = PackedParametersOf(base);
  if (!present.ok()) {
    return std::nullopt;
  }
  LayerParameters changed = *present;
  Change change;
  if (layer.bias && layer.bias->is_missing) {
    NS_ASSIGN_OR_RETURN(const auto bias, SubgraphBias(match.a.subgraph));
    if (!bias || !bias->defined()) {
      return std::nullopt;
    }
    change.change.kind = ChangeKind::kBias;
    changed.bias = bias->detach().to(at::kFloat);
  } else {
    NS_ASSIGN_OR_RETURN(const std::vector<NamedTensor> weights,
                        SubgraphWeights(match.a.subgraph));
    if (weights.size() != 1 || !present->weight.is_quantized() ||
        weights[0].value.sizes() != present->weight.sizes()) {
      return std::nullopt;
    }
    change.change.kind = ChangeKind::kWeight;
    const at::Tensor& of_float = weights[0].value;
    NS_ASSIGN_OR_RETURN(changed.weight, CatchTorchErrors([&] {
                          return QuantizedAnew(of_float, base);
                        }));
    NS_ASSIGN_OR_RETURN(const double before,
                        ComputeSqnr(of_float, present->weight));
    NS_ASSIGN_OR_RETURN(const double after,
                        ComputeSqnr(of_float, changed.weight));
    if (!(after >= before + kLeastWeightGainDb)) {
      return std::nullopt;
    }
  }
  NS_ASSIGN_OR_RETURN(ConstantInput packed, PackedInput(base, changed));
  change.variant.constants = {std::move(packed)};
  return change;
}

// Which input of the base op is the scale of what `subgraph` gives; negative
// where that is not known.
int ScaleInputOf(const Subgraph& subgraph) {
  const bool is_last = absl::c_none_of(subgraph.nodes, [&](const Node* node) {
    return node != subgraph.base && OutputScaleArgument(*node) >= 0;
  });
  return is_last ? OutputScaleInput(*subgraph.base) : -1;
}

QuantGrid GridFor(const LayerComparison& layer, const LayerQParams& qparams) {
  const auto& ranges = layer.shadow->ranges;
  const bool has_eight_bits =
      at::globalContext().qEngine() == at::QEngine::QNNPACK ||
      (ranges && ranges->quantized_max - ranges->quantized_min >
                     kMostStepsOfSevenBits * qparams.scale);
  QuantGrid grid;
  grid.quant_max = has_eight_bits ? 255 : 127;
  return grid;
}

// A change of the output's scale and zero point; nothing where none is tried.
std::optional<Change> ChangeOfRange(const SubgraphMatch& match,
                                    const LayerComparison& layer,
                                    const ShadowValues& seen) {
  const int scale_input = ScaleInputOf(match.b.subgraph);
  if (scale_input < 0 || !seen.qparams ||
      seen.histogram.range().finite.IsEmpty()) {
    return std::nullopt;
  }
  const QuantGrid grid = GridFor(layer, *seen.qparams);
  const Interval range = LeastSquaredErrorRange(
      seen.histogram, grid, ObserverConfig().clipping_weight);
  const QParams found = ChooseQParams(range.min, range.max, grid);
  const bool is_same =
      std::abs(found.scale / seen.qparams->scale - 1) < kSameScale &&
      found.zero_point == seen.qparams->zero_point;
  if (is_same) {
    return std::nullopt;
  }
  Change change;
  change.change.kind = ChangeKind::kRange;
  change.change.qparams = LayerQParams{found.scale, found.zero_point};
  const auto index = static_cast<size_t>(scale_input);
  change.variant.constants = {{index, found.scale},
                              {index + 1, found.zero_point}};
  // The engine qnnpack keeps in a packed layer what it computed for the scale
  // of the output: two ops with different scales must not share one.
  const Node& base = *match.b.subgraph.base;
  if (const auto present = PackedParametersOf(base); present.ok()) {
    const auto packed = PackedInput(base, *present);
    if (!packed.ok()) {
      return std::nullopt;
    }
    change.variant.constants.push_back(*packed);
  }
  return change;
}

class ChangeTrier {
 public:
  ChangeTrier(const ModelGraph& float_model, const ModelGraph& quantized_model,
              const MatchResult& matched, const BatchReader& batches,
              int64_t count, const CompareOptions& options,
              const std::function<void()>& after_batch,
              ComparisonResult& result)
      : float_model_(float_model),
        quantized_model_(quantized_model),
        matched_(matched),
        batches_(batches),
        count_(count),
        options_(options),
        after_batch_(after_batch),
        result_(result),
        layers_(WorstLayers(result)),
        seen_(layers_.size()) {}

  absl::Status Run() {
    if (layers_.empty()) {
      return absl::OkStatus();
    }
    std::vector<std::optional<Change>> changes;
    for (const size_t i : layers_) {
      const auto change =
          ChangeOfParameters(matched_.matches[i], result_.layers[i]);
      // Nothing depends on it: a layer that cannot be changed stays.
      changes.push_back(change.ok() ? *change : std::nullopt);
    }
    // The first run also sees the values that ranges are chosen for.
    NS_RETURN_IF_ERROR(Try(changes));
    for (size_t i = 0; i < layers_.size(); ++i) {
      changes[i] = ChangeOfRange(matched_.matches[layers_[i]],
                                 result_.layers[layers_[i]], seen_[i]);
    }
    return absl::c_any_of(changes, [](const auto& one) { return !!one; })
               ? Try(changes)
               : absl::OkStatus();
  }

 private:
  // Runs the quantized model with changes, one for each of layers_, and notes
  // what they gain, and what values there are.
  absl::Status Try(const std::vector<std::optional<Change>>& changes) {
    NS_ASSIGN_OR_RETURN(const ModelGraph float_copy, float_model_.Clone());
    NS_ASSIGN_OR_RETURN(const ModelGraph quantized_copy,
                        quantized_model_.Clone());
    MatchResult all = MatchesOfCopies(matched_, float_model_, float_copy,
                                      quantized_model_, quantized_copy);
    MatchResult matches;
    for (const size_t i : layers_) {
      matches.matches.push_back(std::move(all.matches[i]));
    }
    CompareOptions options;
    options.activations = false;
    options.shadows = true;
    options.exact = options_.exact;
    options.io_types = options_.io_types;
    for (const std::optional<Change>& change : changes) {
      options.variants.push_back(change ? std::make_optional(change->variant)
                                        : std::nullopt);
    }
    NS_ASSIGN_OR_RETURN(
        PairRunner runner,
        PairRunner::Create(float_copy, quantized_copy, matches, options));
    const bool is_first = std::exchange(is_first_, false);
    for (size_t i = 0; is_first && i < layers_.size(); ++i) {
      runner.ObserveShadow(
          i, [&seen = seen_[i]](const at::Tensor& x, const at::Tensor& y,
                                int64_t) { See(x, y, seen); });
    }
    for (int64_t i = 0; i < count_; ++i) {
      NS_ASSIGN_OR_RETURN(const Batch batch, batches_.Read(i));
      NS_RETURN_IF_ERROR(runner.Run(batch));
      if (after_batch_) {
        after_batch_();
      }
    }
    for (size_t i = 0; i < layers_.size(); ++i) {
      const auto figures = runner.Variant(i);
      if (!figures || std::isnan(figures->sqnr_db)) {
        continue;
      }
      LayerComparison& layer = result_.layers[layers_[i]];
      TriedChange change = changes[i]->change;
      change.sqnr_db = figures->sqnr_db;
      layer.tried_changes.push_back(change);
    }
    return absl::OkStatus();
  }

  static void See(const at::Tensor& x, const at::Tensor& y,
                  ShadowValues& seen) {
    const at::Tensor values = AsFloat(x.detach()).to(at::kFloat).contiguous();
    seen.histogram.Add(values.data_ptr<float>(), values.numel());
    if (y.is_quantized() && y.scalar_type() == at::kQUInt8 &&
        y.qscheme() == at::kPerTensorAffine) {
      seen.qparams = LayerQParams{y.q_scale(), y.q_zero_point()};
    }
  }

  const ModelGraph& float_model_;
  const ModelGraph& quantized_model_;
  const MatchResult& matched_;
  const BatchReader& batches_;
  const int64_t count_;
  const CompareOptions& options_;
  const std::function<void()>& after_batch_;
  ComparisonResult& result_;
  // Indices of the layers in which changes are tried.
  const std::vector<size_t> layers_;
  // One for each of layers_.
  std::vector<ShadowValues> seen_;
  bool is_first_ = true;
};

}  // namespace

absl::Status TryChanges(const ModelGraph& float_model,
                        const ModelGraph& quantized_model,
                        const MatchResult& matched, const BatchReader& batches,
                        int64_t count, const CompareOptions& options,
                        const std::function<void()>& after_batch,
                        ComparisonResult& result) {
  return ChangeTrier(float_model, quantized_model, matched, batches, count,
                     options, after_batch, result)
      .Run();
}

}  // namespace ns
