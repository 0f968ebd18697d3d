#include "passes/matching/counterpart_by_data.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/list_writes.h"
#include "passes/matching/op_likeness.h"

namespace ns {
namespace {

using ::torch::jit::Value;

// Returns the number of tensors in the list that `node` takes first; 0 when it
// takes none, or the graph does not tell.
size_t ListSize(const MatchableNode& node) {
  const auto inputs = node.base->inputs();
  if (inputs.empty() || !IsTensorList(*inputs[0])) {
    return 0;
  }
  const torch::jit::Node& made = *inputs[0]->node();
  if (made.kind() == c10::prim::ListConstruct && !IsWrittenTo(*inputs[0])) {
    return made.inputs().size();
  }
  const auto elements = ElementsBefore(*inputs[0], *node.base);
  return elements ? elements->size() : 0;
}

// Whether they take lists of different numbers of tensors. A tracer merges a
// concatenation into another one that it is part of: then the inner one has
// the most inputs in common with the merged one, but is not its counterpart.
bool TakeOtherLists(const MatchableNode& a, const MatchableNode& b) {
  const size_t size_a = ListSize(a);
  const size_t size_b = ListSize(b);
  return size_a > 0 && size_b > 0 && size_a != size_b;
}

}  // namespace

CounterpartByData::CounterpartByData(const MatchableNodes& nodes_a,
                                     const MatchableNodes& nodes_b,
                                     const SubgraphPairs& pairs)
    : a_(nodes_a),
      b_(nodes_b),
      pairs_(pairs),
      users_(nodes_a.size()),
      count_inputs_(nodes_a.size()) {}

void CounterpartByData::SetCandidates(absl::Span<const int> candidates) {
  users_.Clear();
  for (const int a : candidates) {
    const Values inputs = DataInputsOf(a_[a]);
    count_inputs_[a] = inputs.size();
    for (size_t i = 0; i < inputs.size(); ++i) {
      int steps = 0;
      for (const Source& source : a_.Sources(inputs[i], a)) {
        users_.Add(source, {a, steps++, static_cast<int>(i)});
      }
    }
  }
}

int CounterpartByData::Of(int b, absl::FunctionRef<bool(int)> can_match) const {
  const Values inputs = DataInputsOf(b_[b]);
  Candidates candidates;
  for (size_t i = 0; i < inputs.size(); ++i) {
    AddLinks(inputs[i], static_cast<int>(i), b, can_match, candidates);
  }
  if (candidates.empty()) {
    return -1;
  }
  KeepMostLinked(inputs.size(), candidates);
  return candidates.size() == 1 ? candidates[0].a
                                : MostAlike(b, inputs, candidates);
}

void CounterpartByData::AddLinks(Value* value, int input_b, int b,
                                 absl::FunctionRef<bool(int)> can_match,
                                 Candidates& candidates) const {
  int steps_b = 0;
  for (const Source& source : b_.Sources(value, b)) {
    const Source linked = pairs_.LinkedA(source);
    bool found = false;
    if (linked.value != nullptr) {
      users_.ForEach(linked, [&](const UsersOfValues::User& user) {
        if (!can_match(user.node) || TakeOtherLists(a_[user.node], b_[b])) {
          return;
        }
        auto candidate = absl::c_find_if(candidates, [&](const auto& known) {
          return known.a == user.node;
        });
        if (candidate == candidates.end()) {
          candidates.push_back({user.node, {}});
          candidate = std::prev(candidates.end());
        }
        AddLink(*candidate, {user.input, input_b, user.steps, steps_b});
        found = true;
      });
    }
    // Values further up are inputs of the node that was found.
    if (found) {
      return;
    }
    ++steps_b;
  }
}

// Each input of either side counts once. An input of B takes the one at the
// same place where that is free, or the one with the fewest ops in between.
void CounterpartByData::AddLink(Candidate& candidate, const Link& link) {
  Link* known = nullptr;
  for (Link& other : candidate.links) {
    if (other.input_b == link.input_b) {
      known = &other;
    } else if (other.input_a == link.input_a) {
      return;
    }
  }
  if (known == nullptr) {
    candidate.links.push_back(link);
    return;
  }
  const auto rank = [](const Link& each) {
    return std::tuple(each.input_a != each.input_b, each.steps_a, each.input_a);
  };
  if (rank(link) < rank(*known)) {
    *known = link;
  }
}

void CounterpartByData::KeepMostLinked(size_t inputs_b,
                                       Candidates& candidates) const {
  const auto rank = [&](const Candidate& candidate) {
    const int links = static_cast<int>(candidate.links.size());
    const size_t inputs = std::max(inputs_b, count_inputs_[candidate.a]);
    return std::tuple(-links, inputs);
  };
  const auto best = rank(*absl::c_min_element(
      candidates, [&](const Candidate& x, const Candidate& y) {
        return rank(x) < rank(y);
      }));
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [&](const Candidate& candidate) {
                                    return rank(candidate) != best;
                                  }),
                   candidates.end());
}

int CounterpartByData::MostAlike(int b, const Values& inputs_b,
                                 Candidates& candidates) const {
  absl::c_sort(candidates, [](const Candidate& x, const Candidate& y) {
    return x.a < y.a;
  });
  using Difference = std::tuple<int, int, int>;
  int best = -1;
  Difference least;
  for (const Candidate& candidate : candidates) {
    const int moved = absl::c_count_if(candidate.links, [](const Link& link) {
      return link.input_a != link.input_b;
    });
    const Difference difference(
        OtherSteps(candidate, b, inputs_b),
        CountOtherConstants(*a_[candidate.a].base, *b_[b].base), moved);
    if (best < 0 || difference < least) {
      best = candidate.a;
      least = difference;
    }
    if (least == Difference()) {
      break;
    }
  }
  return best;
}

int CounterpartByData::OtherSteps(const Candidate& candidate, int b,
                                  const Values& inputs_b) const {
  const Values inputs_a = DataInputsOf(a_[candidate.a]);
  int count = 0;
  for (const Link& link : candidate.links) {
    if (link.steps_a == 0 && link.steps_b == 0) {
      continue;
    }
    const auto of_a = a_.Sources(inputs_a[link.input_a], candidate.a);
    const auto of_b = b_.Sources(inputs_b[link.input_b], b);
    count +=
        CountOtherSteps(absl::MakeConstSpan(of_a).subspan(0, link.steps_a),
                        absl::MakeConstSpan(of_b).subspan(0, link.steps_b));
  }
  return count;
}

}  // namespace ns
