#include "passes/matching/weight_similarity.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
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
// Of the squared norm of x: the noise of a pair that is less alike than
// kSimilarDb - kAlikeDb, and so matters to no other pair.
constexpr double kLeastNoise = 0.51;
// More than what rounding makes of a noise of zero, of the squares of x and y.
constexpr double kRounding = 1e-9;
// How many rows of a matrix of similarities are in memory at a time.
constexpr size_t kRowsAtATime = 256;

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

// The similarity of a node to one of the other model, by the index of that one
// among the candidates.
using Similarities = std::vector<std::pair<size_t, double>>;

// Returns the indices with the largest similarity, in order. None when another
// one is nearly as large: such values do not tell which is which.
std::vector<size_t> IndicesOfLargest(const Similarities& similarities) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const auto& [index, similarity] : similarities) {
    largest = std::max(largest, similarity);
  }
  std::vector<size_t> indices;
  for (const auto& [index, similarity] : similarities) {
    if (similarity == largest) {
      indices.push_back(index);
    } else if (similarity > largest - kAlikeDb) {
      return {};
    }
  }
  return indices;
}

// Returns the similarity to the candidate `index`, which is among them.
double SimilarityIn(const Similarities& similarities, size_t index) {
  return absl::c_lower_bound(similarities, index,
                             [](const auto& entry, size_t other) {
                               return entry.first < other;
                             })
      ->second;
}

// Finds the candidates of A and B that are alike.
class SimilarForms {
 public:
  using Forms = std::vector<std::vector<at::Tensor>>;

  // The forms of each candidate.
  SimilarForms(Forms a, Forms b)
      : forms_a_(std::move(a)),
        forms_b_(std::move(b)),
        of_a_(forms_a_.size()),
        of_b_(forms_b_.size()) {
    // In the order of B, and of A for each of B.
    for (const auto& [j, i] : MayBeAlike()) {
      const double similarity = Similarity(forms_a_[i], forms_b_[j]);
      of_a_[i].emplace_back(j, similarity);
      of_b_[j].emplace_back(i, similarity);
    }
  }

  // The similarities of candidate `i` of A to those of B, and of `j` of B to
  // those of A. Those that are too small to matter may be missing.
  const Similarities& OfA(size_t i) const { return of_a_[i]; }
  const Similarities& OfB(size_t j) const { return of_b_[j]; }

 private:
  // The samples of one length as rows of a matrix, and which candidates have
  // them.
  struct Rows {
    std::vector<at::Tensor> samples;
    std::vector<size_t> candidates;
  };
  using RowsByLength = std::map<int64_t, Rows>;

  static RowsByLength RowsOf(const Forms& forms) {
    RowsByLength rows;
    for (size_t i = 0; i < forms.size(); ++i) {
      for (const at::Tensor& sample : forms[i]) {
        Rows& of_length = rows[sample.numel()];
        of_length.samples.push_back(sample);
        of_length.candidates.push_back(i);
      }
    }
    return rows;
  }

  // Returns the pairs (of B, of A) whose similarity may be large enough to
  // matter. It comes from |x - y|^2 = |x|^2 + |y|^2 - 2 xy, that is, from one
  // product of matrices, which takes far less time than a look at each pair.
  std::vector<std::pair<size_t, size_t>> MayBeAlike() const {
    std::vector<std::pair<size_t, size_t>> pairs;
    const RowsByLength all_b = RowsOf(forms_b_);
    for (const auto& [length, a] : RowsOf(forms_a_)) {
      const auto b = all_b.find(length);
      if (b == all_b.end()) {
        continue;
      }
      const at::Tensor x = at::stack(a.samples);
      const at::Tensor x_squares = x.square().sum(1);
      for (size_t begin = 0; begin < b->second.samples.size();
           begin += kRowsAtATime) {
        const size_t end =
            std::min(begin + kRowsAtATime, b->second.samples.size());
        const at::Tensor y =
            at::stack(at::ArrayRef<at::Tensor>(b->second.samples)
                          .slice(begin, end - begin));
        const at::Tensor y_squares = y.square().sum(1).unsqueeze(1);
        const at::Tensor squares = x_squares + y_squares;
        const at::Tensor noise = squares - 2 * at::mm(y, x.t());
        // Where values are not finite, the comparison does not hold either.
        const at::Tensor alike = at::nonzero(
            ~(noise > x_squares * kLeastNoise + squares * kRounding));
        const auto rows = alike.accessor<int64_t, 2>();
        for (int64_t i = 0; i < alike.size(0); ++i) {
          pairs.emplace_back(b->second.candidates[begin + rows[i][0]],
                             a.candidates[rows[i][1]]);
        }
      }
    }
    // Several forms of one candidate may be alike.
    absl::c_sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }

  const Forms forms_a_;
  const Forms forms_b_;
  std::vector<Similarities> of_a_;
  std::vector<Similarities> of_b_;
};

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
  const SimilarForms similar(std::move(forms_a), std::move(forms_b));
  std::vector<std::pair<int, int>> pairs;
  for (size_t j = 0; j < candidates_b.size(); ++j) {
    const std::vector<size_t> closest_a = IndicesOfLargest(similar.OfB(j));
    if (closest_a.empty() ||
        SimilarityIn(similar.OfB(j), closest_a[0]) < kSimilarDb) {
      continue;
    }
    const std::vector<size_t> closest_b =
        IndicesOfLargest(similar.OfA(closest_a[0]));
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
