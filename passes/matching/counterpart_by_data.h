// Finds the node of one model that takes the same values as a node of another.
#ifndef PASSES_MATCHING_COUNTERPART_BY_DATA_H_
#define PASSES_MATCHING_COUNTERPART_BY_DATA_H_

#include <cstddef>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "passes/matching/matchable_nodes.h"
#include "passes/matching/subgraph_pairs.h"
#include "passes/matching/users_of_values.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Searches one block of A. All arguments must outlive the object; `pairs` may
// grow meanwhile.
class CounterpartByData {
 public:
  CounterpartByData(const MatchableNodes& nodes_a,
                    const MatchableNodes& nodes_b, const SubgraphPairs& pairs);

  // Makes the nodes `candidates` of A, in order of execution, those that Of
  // searches.
  void SetCandidates(absl::Span<const int> candidates);

  // Returns the candidate for which `can_match` is true that is most like node
  // `b`, or -1 when none takes a value that corresponds to an input of `b`.
  // Values correspond, too, when ops that the other model may not have
  // (MatchableNodes::Sources) make the inputs from them. Of several
  // candidates, these decide, in this order:
  //
  // - more inputs of `b` correspond to inputs of the candidate, each to one of
  //   its own;
  // - fewer inputs are left on the side that has more;
  // - the ops that the inputs pass on the way differ less (CountOtherSteps);
  // - fewer constant arguments differ (CountOtherConstants);
  // - more inputs stand at the same place;
  // - the candidate runs first.
  //
  // So where both models are the same, and all nodes before `b` are matched
  // with themselves, `b` is, too: no candidate is more like `b` than `b`
  // itself.
  int Of(int b, absl::FunctionRef<bool(int)> can_match) const;

 private:
  // An input of B, and the input of a candidate that comes from the same value
  // by `steps` ops on each side.
  struct Link {
    int input_a;
    int input_b;
    int steps_a;
    int steps_b;
  };
  struct Candidate {
    int a;
    absl::InlinedVector<Link, 2> links;
  };
  using Candidates = absl::InlinedVector<Candidate, 4>;
  using Values = std::vector<torch::jit::Value*>;

  void AddLinks(torch::jit::Value* value, int input_b, int b,
                absl::FunctionRef<bool(int)> can_match,
                Candidates& candidates) const;
  static void AddLink(Candidate& candidate, const Link& link);
  // Keeps those with the most links, and of these the ones with the fewest
  // inputs left.
  void KeepMostLinked(size_t inputs_b, Candidates& candidates) const;
  int MostAlike(int b, const Values& inputs_b, Candidates& candidates) const;
  // Returns the number of ops in which the ways of the inputs differ.
  int OtherSteps(const Candidate& candidate, int b,
                 const Values& inputs_b) const;

  const MatchableNodes& a_;
  const MatchableNodes& b_;
  const SubgraphPairs& pairs_;
  // The users of values among the candidates.
  UsersOfValues users_;
  // The number of inputs of each node of A that was a candidate.
  std::vector<size_t> count_inputs_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_COUNTERPART_BY_DATA_H_
