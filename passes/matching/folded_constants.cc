#include "passes/matching/folded_constants.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/constant_affine.h"
#include "passes/analysis/subgraph_bias.h"
#include "passes/analysis/subgraph_weights.h"
#include "passes/matching/value_keeping.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// What is folded leaves at most this share of the difference.
constexpr double kExplained = 0.25;

constexpr size_t kMostFolded = 4;

at::Tensor InDouble(const at::Tensor& tensor) {
  return (tensor.is_quantized() ? tensor.dequantize() : tensor)
      .detach()
      .to(at::kDouble);
}

double Power(const at::Tensor& tensor) {
  return tensor.square().sum().item<double>();
}

// Returns the difference of `x` and `y`, which may be broadcast, relative to
// both.
double Distance(const at::Tensor& x, const at::Tensor& y) {
  const std::vector<at::Tensor> both = at::broadcast_tensors({x, y});
  const double power = Power(both[0]) + Power(both[1]);
  return power > 0 ? Power(both[0] - both[1]) / power : 0;
}

// Returns how far weight and bias of two subgraphs are apart; absent where they
// are not known, or of different shapes.
std::optional<double> Distance(const Subgraph& x, const Subgraph& y) {
  const auto weights_x = SubgraphWeights(x);
  const auto weights_y = SubgraphWeights(y);
  const auto bias_x = SubgraphBias(x);
  const auto bias_y = SubgraphBias(y);
  if (!weights_x.ok() || !weights_y.ok() || weights_x->size() != 1 ||
      weights_y->size() != 1 || !bias_x.ok() || !bias_y.ok() || !*bias_x ||
      !*bias_y ||
      (*weights_x)[0].value.sizes() != (*weights_y)[0].value.sizes()) {
    return std::nullopt;
  }
  const auto distance = CatchTorchErrors([&] {
    const auto bias_or_zero = [](const at::Tensor& bias) {
      return bias.defined() ? InDouble(bias) : at::zeros({1}, at::kDouble);
    };
    return Distance(InDouble((*weights_x)[0].value),
                    InDouble((*weights_y)[0].value)) +
           Distance(bias_or_zero(**bias_x), bias_or_zero(**bias_y));
  });
  return distance.ok() ? std::make_optional(*distance) : std::nullopt;
}

// Returns the next op that computes with the output of `end` alone, with the
// casts before it; empty where that has no ConstantAffine.
std::vector<Node*> NextAffine(Node* end, int spatial_dims) {
  std::vector<Node*> nodes;
  if (end->outputs().size() != 1) {
    return nodes;
  }
  const Value* value = end->output();
  for (Node* user = OnlyUser(*value); user != nullptr;
       user = OnlyUser(*value)) {
    nodes.push_back(user);
    if (ConstantAffineOf(*user, spatial_dims) && user->input(0) == value) {
      return nodes;
    }
    if (!KeepsValues(*user) || user->outputs().size() != 1) {
      break;
    }
    value = user->output();
  }
  return {};
}

}  // namespace

std::vector<Node*> FoldedConstants(const Subgraph& subgraph,
                                   const Subgraph& other) {
  std::vector<Node*> best;
  if (subgraph.base == nullptr || other.base == nullptr) {
    return best;
  }
  const std::optional<int> dims = SpatialDimsOfConv(*subgraph.base);
  if (!dims || SpatialDimsOfConv(*other.base) != dims ||
      NextAffine(subgraph.end, *dims).empty()) {
    return best;
  }
  std::optional<double> least = Distance(subgraph, other);
  if (!least) {
    return best;
  }
  Subgraph longer = subgraph;
  std::vector<Node*> taken;
  *least *= kExplained;
  for (size_t i = 0; i < kMostFolded; ++i) {
    const std::vector<Node*> next = NextAffine(longer.end, *dims);
    if (next.empty()) {
      break;
    }
    taken.insert(taken.end(), next.begin(), next.end());
    longer.nodes.insert(longer.nodes.end(), next.begin(), next.end());
    longer.end = next.back();
    const std::optional<double> distance = Distance(longer, other);
    if (distance && *distance < *least) {
      least = distance;
      best = taken;
    }
  }
  return best;
}

}  // namespace ns
