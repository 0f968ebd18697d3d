#include "passes/matching/weight_similarity.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/node_weights.h"
#include "passes/analysis/subgraph_weights.h"
#include "passes/ops/fusion_patterns.h"

namespace ns {
namespace {

using ::torch::jit::Node;

constexpr double kSimilarDb = 6.0;
// Of two figures that differ by less, the larger one may be so by chance, as
// with a batch norm that scales by nearly 1.
constexpr double kAlikeDb = 3.0;
// The number of elements that are compared: plenty to tell layers apart.
constexpr int64_t kSample = 4096;

at::Tensor Sample(const at::Tensor& weight) {
  const at::Tensor values =
      weight.is_quantized() ? weight.dequantize() : weight;
  const at::Tensor flat = values.reshape({-1}).to(at::kDouble);
  const int64_t step = std::max<int64_t>(1, flat.numel() / kSample);
  return flat.slice(0, 0, c10::nullopt, step).contiguous();
}

// Returns the forms in which the first weight of a node may appear in the other
// model: as it is, and with the batch norm behind it folded in.
std::vector<at::Tensor> Forms(const MatchableNodes& nodes, int index) {
  std::vector<at::Tensor> forms;
  const Node& base = *nodes[index].base;
  const absl::StatusOr<std::vector<NamedTensor>> weights = NodeWeights(base);
  if (!weights.ok() || weights->empty()) {
    return forms;
  }
  const at::Tensor& weight = weights->front().value;
  (void)CatchTorchErrors("sampling a weight",
                         [&] { forms.push_back(Sample(weight)); });
  const torch::jit::Value* output = TensorOutput(base);
  const Node* next = output == nullptr ? nullptr : OnlyUser(*output);
  const int next_index = next == nullptr ? -1 : nodes.IndexOf(next);
  if (next_index >= 0 && !weight.is_quantized() &&
      nodes[next_index].family == "batch_norm" &&
      FusesWith(nodes[index].family, nodes[index].family, "batch_norm")) {
    const absl::StatusOr<at::Tensor> folded =
        FoldBatchNorm(weight, base, *next);
    if (folded.ok()) {
      (void)CatchTorchErrors("sampling a weight",
                             [&] { forms.push_back(Sample(*folded)); });
    }
  }
  return forms;
}

// Returns the SQNR in dB of the best pair of forms, relative to the float side.
double Similarity(const std::vector<at::Tensor>& forms_a,
                  const std::vector<at::Tensor>& forms_b) {
  double best = -std::numeric_limits<double>::infinity();
  for (const at::Tensor& x : forms_a) {
    for (const at::Tensor& y : forms_b) {
      if (x.numel() != y.numel()) {
        continue;
      }
      const double signal = at::dot(x, x).item<double>();
      const at::Tensor difference = x - y;
      const double noise = at::dot(difference, difference).item<double>();
      best = std::max(best, noise == 0 ? std::numeric_limits<double>::infinity()
                                       : 10 * std::log10(signal / noise));
    }
  }
  return best;
}

// Returns the indices below `count` with the largest value, in order. None when
// another value is nearly as large: such values do not tell which is which.
template <typename ValueOf>
std::vector<size_t> IndicesOfLargest(size_t count, const ValueOf& value_of) {
  double largest = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < count; ++i) {
    largest = std::max(largest, value_of(i));
  }
  std::vector<size_t> indices;
  for (size_t i = 0; i < count; ++i) {
    if (value_of(i) == largest) {
      indices.push_back(i);
    } else if (value_of(i) > largest - kAlikeDb) {
      return {};
    }
  }
  return indices;
}

}  // namespace

std::vector<std::pair<int, int>> PairBySimilarWeights(
    const MatchableNodes& a, absl::Span<const int> candidates_a,
    const MatchableNodes& b, absl::Span<const int> candidates_b) {
  std::vector<std::vector<at::Tensor>> forms_a;
  std::vector<std::vector<at::Tensor>> forms_b;
  for (int index : candidates_a) {
    forms_a.push_back(Forms(a, index));
  }
  for (int index : candidates_b) {
    forms_b.push_back(Forms(b, index));
  }
  std::vector<std::vector<double>> similarity(
      candidates_a.size(), std::vector<double>(candidates_b.size()));
  for (size_t i = 0; i < candidates_a.size(); ++i) {
    for (size_t j = 0; j < candidates_b.size(); ++j) {
      similarity[i][j] = Similarity(forms_a[i], forms_b[j]);
    }
  }
  std::vector<std::pair<int, int>> pairs;
  for (size_t j = 0; j < candidates_b.size(); ++j) {
    const std::vector<size_t> closest_a = IndicesOfLargest(
        candidates_a.size(), [&](size_t i) { return similarity[i][j]; });
    if (closest_a.empty() || similarity[closest_a[0]][j] < kSimilarDb) {
      continue;
    }
    const std::vector<size_t> closest_b = IndicesOfLargest(
        candidates_b.size(),
        [&](size_t other) { return similarity[closest_a[0]][other]; });
    // Several equal ones are calls of one layer, which are paired in order.
    const auto turn = std::find(closest_b.begin(), closest_b.end(), j);
    if (turn != closest_b.end() && closest_a.size() == closest_b.size()) {
      pairs.emplace_back(candidates_a[closest_a[turn - closest_b.begin()]],
                         candidates_b[j]);
    }
  }
  return pairs;
}

}  // namespace ns
