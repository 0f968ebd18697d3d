// Finds matched ops whose inputs do not correspond, such as where one model has
// an extra layer in front of them.
#ifndef PASSES_MATCHING_UNPAIRED_INPUTS_H_
#define PASSES_MATCHING_UNPAIRED_INPUTS_H_

#include <string>
#include <vector>

#include "passes/matching/matchable_nodes.h"
#include "passes/matching/subgraph_pairs.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Compares the inputs of two models whose nodes are paired. All arguments must
// outlive the object.
class UnpairedInputs {
 public:
  UnpairedInputs(const MatchableNodes& nodes_a, const MatchableNodes& nodes_b,
                 const SubgraphPairs& pairs);

  // Returns why an input of the matched nodes with the indices `a` and `b` does
  // not correspond. One of these comes in on one side:
  //  * the output of an op without a counterpart, where the other side has that
  //    of an op with one, or an input of the graph;
  //  * the output of a matched op, where the other side has an input of the
  //    graph or the output of another pair;
  //  * the output of a pair of which one side has fused an op that the other
  //    side does not have there.
  // Casts and ops that only move data do not count, nor does the order of
  // inputs. Empty where the inputs correspond, where both sides replace one
  // thing by another, and where control flow, or a list that is filled there,
  // leaves it open.
  //
  //   A: %c = conv2d(%x); %e = conv2d(%c); %l = linear(%e)
  //   B: %c = quantized::conv2d(%x);       %l = quantized::linear(%c)
  //   ->  "its input in the float model comes from 'e' (aten::conv2d), which
  //       has no counterpart in the quantized model"
  std::string ReasonFor(int a, int b) const;

 private:
  enum class Kind {
    kUnknown,    // made by control flow, an unpacked list, constants, ...
    kInput,      // an input of the graph
    kPaired,     // the output of a matched subgraph
    kUnmatched,  // the output of an op without a counterpart
    kElsewhere,  // a matched subgraph that ends elsewhere than its partner
  };
  struct Producer {
    Kind kind = Kind::kUnknown;
    // The base of the subgraph, or the op itself; -1 for none.
    int node = -1;
  };
  struct Side {
    const MatchableNodes& nodes;
    // The base node by the last matchable node of its subgraph; -1 for others.
    std::vector<int> base_of_end;
  };

  Producer ProducerOf(const Side& side, torch::jit::Value* value,
                      bool is_a) const;
  std::vector<Producer> ProducersOf(
      const Side& side, const std::vector<torch::jit::Value*>& values,
      bool is_a) const;
  bool AreLinked(const std::vector<torch::jit::Value*>& a,
                 const std::vector<torch::jit::Value*>& b) const;
  bool MayCorrespond(const Producer& a, const Producer& b) const;

  const SubgraphPairs& pairs_;
  Side a_;
  Side b_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_UNPAIRED_INPUTS_H_
