#include "ns/suite/layer_parameters.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/torch_errors.h"
#include "passes/analysis/subgraph_bias.h"
#include "passes/analysis/subgraph_weights.h"
#include "passes/analysis/tensor_facts.h"
#include "passes/analysis/value_facts.h"

namespace ns {
namespace {

// Two weights that have nothing to do with each other have -3 dB; see the
// header for both limits.
constexpr double kForeignDb = 3;
constexpr double kSameDb = 10;
constexpr size_t kMostForeign = 32;

at::Tensor AsDouble(const at::Tensor& tensor) {
  return (tensor.is_quantized() ? tensor.dequantize() : tensor).to(at::kDouble);
}

double MeanSquare(const at::Tensor& tensor) {
  return tensor.numel() == 0 ? 0 : tensor.square().mean().item<double>();
}

std::optional<BiasComparison> CompareBiases(const at::Tensor& x,
                                            const at::Tensor& y) {
  if (!x.defined() && !y.defined()) {
    return std::nullopt;
  }
  const at::Tensor of_float = AsDouble(x.defined() ? x : at::zeros_like(y));
  const at::Tensor of_quantized = AsDouble(y.defined() ? y : at::zeros_like(x));
  if (of_float.sizes() != of_quantized.sizes()) {
    return std::nullopt;
  }
  return BiasComparison{
      MeanSquare(of_float - of_quantized),
      MeanSquare(of_quantized) == 0 && MeanSquare(of_float) > 0};
}

std::optional<LayerQParams> QParamsOf(const ValueFacts& facts,
                                      const torch::jit::Value* output) {
  if (output == nullptr) {
    return std::nullopt;
  }
  const std::optional<PerTensorQParams> qparams =
      facts.Likely(*output).qparams();
  return qparams && qparams->scale.constant && qparams->zero_point.constant
             ? std::make_optional(LayerQParams{*qparams->scale.constant,
                                               *qparams->zero_point.constant})
             : std::nullopt;
}

// The weights of a layer that has one, in both models.
struct PairOfWeights {
  size_t layer;
  at::Tensor of_float;
  at::Tensor of_quantized;
};

std::optional<PairOfWeights> WeightsOf(const SubgraphMatch& match,
                                       const LayerComparison& layer,
                                       size_t index) {
  if (layer.weights.size() != 1) {
    return std::nullopt;
  }
  const auto of_float = SubgraphWeights(match.a.subgraph);
  const auto of_quantized = SubgraphWeights(match.b.subgraph);
  if (!of_float.ok() || !of_quantized.ok() || of_float->size() != 1 ||
      of_quantized->size() != 1) {
    return std::nullopt;
  }
  return PairOfWeights{index, of_float->front().value,
                       of_quantized->front().value};
}

void FindOwners(const std::vector<PairOfWeights>& weights,
                std::vector<LayerComparison>& layers) {
  for (const PairOfWeights& weight : weights) {
    double best = kSameDb;
    for (const PairOfWeights& other : weights) {
      if (other.layer == weight.layer ||
          other.of_float.sizes() != weight.of_quantized.sizes()) {
        continue;
      }
      const at::Tensor of_float = AsDouble(other.of_float);
      const double noise = MeanSquare(of_float - AsDouble(weight.of_quantized));
      const double db = 10 * std::log10(MeanSquare(of_float) / noise);
      if (db > best) {
        best = db;
        layers[weight.layer].has_weight_of = layers[other.layer].name;
      }
    }
  }
}

bool IsBelow(const LayerComparison& layer, double db) {
  return layer.weights.size() == 1 && layer.weights[0].error.sqnr_db < db;
}

// Sets shares_weight_with of layer `index`, whose weight is another one.
void FindSharing(const MatchResult& matches, size_t index,
                 std::vector<LayerComparison>& layers) {
  LayerComparison& layer = layers[index];
  const std::string& module = layer.quantized_side.fqn;
  const auto weights = WeightsOf(matches.matches[index], layer, index);
  for (size_t i = 0; weights && i < layers.size(); ++i) {
    if (i == index || module.empty() ||
        layers[i].quantized_side.fqn != module || IsBelow(layers[i], kSameDb)) {
      continue;
    }
    const auto other = WeightsOf(matches.matches[i], layers[i], i);
    if (other && at::equal(AsDouble(weights->of_quantized),
                           AsDouble(other->of_quantized))) {
      layer.shares_weight_with = layers[i].name;
      return;
    }
  }
}

void DescribeLayer(const SubgraphMatch& match, const ValueFacts& facts,
                   LayerComparison& layer) {
  layer.qparams =
      QParamsOf(facts, match.is_quantize_point ? match.b.subgraph.end->output()
                                               : match.b.output);
  if (match.is_quantize_point) {
    return;
  }
  const auto of_float = SubgraphBias(match.a.subgraph);
  const auto of_quantized = SubgraphBias(match.b.subgraph);
  if (of_float.ok() && of_quantized.ok() && *of_float && *of_quantized) {
    layer.bias = CompareBiases(**of_float, **of_quantized);
  }
}

}  // namespace

void DescribeParameters(const ValueFacts& facts, const MatchResult& matches,
                        std::vector<LayerComparison>& layers) {
  std::vector<PairOfWeights> foreign;
  for (size_t i = 0; i < layers.size(); ++i) {
    const SubgraphMatch& match = matches.matches[i];
    // Nothing depends on these figures: a layer that fails has none.
    CatchTorchErrors([&] {
      DescribeLayer(match, facts, layers[i]);
      if (IsBelow(layers[i], kForeignDb)) {
        if (auto weights = WeightsOf(match, layers[i], i)) {
          foreign.push_back(*std::move(weights));
        }
      }
      if (IsBelow(layers[i], kSameDb)) {
        FindSharing(matches, i, layers);
      }
    }).IgnoreError();
  }
  if (foreign.size() <= kMostForeign) {
    CatchTorchErrors([&] { FindOwners(foreign, layers); }).IgnoreError();
  }
}

}  // namespace ns
