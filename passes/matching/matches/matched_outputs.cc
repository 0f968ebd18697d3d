#include "passes/matching/matches/matched_outputs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/graph/node_view.h"
#include "passes/matching/control_flow_results.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// The positions among the tensors of a node of A and of one of B.
using IndexPair = std::pair<size_t, size_t>;

// Returns the position of tensor `place` in `value`, which is the first where
// its elements are not told apart; the number of tensors if it is not among
// them.
size_t IndexOf(const std::vector<OutputTensor>& tensors, const Value* value,
               size_t place) {
  return std::find_if(tensors.begin(), tensors.end(),
                      [&](const OutputTensor& tensor) {
                        return tensor.value == value &&
                               (tensor.place == place ||
                                (tensor.place == kAllElements && place == 0));
                      }) -
         tensors.begin();
}

bool TellsElementsApart(const OutputTensor& tensor) {
  return tensor.place != kAllElements;
}

// Returns how many of the tensors are in `value`.
size_t CountOf(const std::vector<OutputTensor>& tensors, const Value* value) {
  return std::count_if(
      tensors.begin(), tensors.end(),
      [&](const OutputTensor& tensor) { return tensor.value == value; });
}

std::vector<IndexPair> PairByPosition(size_t count_a, size_t count_b) {
  std::vector<IndexPair> pairs;
  for (size_t i = 0; i < std::min(count_a, count_b); ++i) {
    pairs.emplace_back(i, i);
  }
  return pairs;
}

std::vector<IndexPair> PairOfControlFlow(
    const Node& a, const std::vector<OutputTensor>& of_a, const Node& b,
    const std::vector<OutputTensor>& of_b) {
  std::vector<IndexPair> pairs;
  for (const auto& [i, j] : PairResults(a, b)) {
    const size_t count =
        std::min(CountOf(of_a, a.outputs()[i]), CountOf(of_b, b.outputs()[j]));
    for (size_t place = 0; place < count; ++place) {
      pairs.emplace_back(IndexOf(of_a, a.outputs()[i], place),
                         IndexOf(of_b, b.outputs()[j], place));
    }
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const IndexPair& x, const IndexPair& y) {
              return x.second < y.second;
            });
  return pairs;
}

std::vector<IndexPair> PairTensors(const Node& a,
                                   const std::vector<OutputTensor>& of_a,
                                   const Node& b,
                                   const std::vector<OutputTensor>& of_b) {
  const bool a_is_if = a.kind() == c10::prim::If;
  const bool b_is_if = b.kind() == c10::prim::If;
  if (a_is_if && b_is_if) {
    return PairOfControlFlow(a, of_a, b, of_b);
  }
  // The results of a prim::If are in an order of their own.
  return a_is_if || b_is_if ? std::vector<IndexPair>()
                            : PairByPosition(of_a.size(), of_b.size());
}

size_t ElementsOf(const Value& output) {
  return IsTensorList(output) ? CountElements(output) : 1;
}

}  // namespace

std::vector<MatchedOutput> MatchedOutputs(const SubgraphMatch& match) {
  MatchedOutput first;
  first.a.value = match.a.output;
  first.b.value = match.b.output;
  if (match.is_quantize_point) {
    return {first};
  }
  const Node& node_a = *match.a.output->node();
  const Node& node_b = *match.b.output->node();
  const size_t elements =
      std::max(ElementsOf(*match.a.output), ElementsOf(*match.b.output));
  const std::vector<OutputTensor> of_a = OutputTensors(node_a, elements);
  const std::vector<OutputTensor> of_b = OutputTensors(node_b, elements);
  const size_t first_a = IndexOf(of_a, match.a.output, 0);
  const size_t first_b = IndexOf(of_b, match.b.output, 0);
  if (of_b.size() > 1) {
    first.name = OutputName(KnownOutputName(node_b, first_b), 0);
  }
  if (first_a < of_a.size() && first_b < of_b.size()) {
    first.a = of_a[first_a];
    first.b = of_b[first_b];
  }
  std::vector<MatchedOutput> outputs = {first};
  for (const auto& [i, j] : PairTensors(node_a, of_a, node_b, of_b)) {
    if (i != first_a && j != first_b &&
        TellsElementsApart(of_a[i]) == TellsElementsApart(of_b[j])) {
      const size_t index = j < first_b ? j + 1 : j;
      outputs.push_back({index, OutputName(KnownOutputName(node_b, j), index),
                         of_a[i], of_b[j]});
    }
  }
  return outputs;
}

}  // namespace ns
