#include "passes/matching/match_producers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/matching/subgraph.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

using Matches = std::vector<size_t>;

void Add(const Matches& more, Matches& matches) {
  Matches all;
  std::set_union(matches.begin(), matches.end(), more.begin(), more.end(),
                 std::back_inserter(all));
  matches = std::move(all);
}

// Follows values from matched subgraphs to where they are used.
class Flow {
 public:
  explicit Flow(const MatchResult& matches) {
    for (size_t i = 0; i < matches.matches.size(); ++i) {
      ends_[matches.matches[i].b.subgraph.end] = i;
    }
  }

  void Follow(Block* block) {
    for (Node* node : block->nodes()) {
      Matches from;
      for (const Value* input : node->inputs()) {
        Add(SourcesOf(*input), from);
      }
      for (Block* inner : node->blocks()) {
        EnterBlock(*node, inner, from);
        Follow(inner);
        for (const Value* output : inner->outputs()) {
          Add(SourcesOf(*output), from);
        }
      }
      const auto match = ends_.find(node);
      if (match != ends_.end()) {
        from = {match->second};
      }
      for (const Value* output : node->outputs()) {
        sources_[output] = from;
      }
    }
  }

  Matches Into(const Subgraph& subgraph) {
    Matches matches;
    for (const Value* input : DataInputsOf(subgraph)) {
      Add(SourcesOf(*input), matches);
    }
    return matches;
  }

 private:
  // Numbers carry no data.
  Matches SourcesOf(const Value& value) const {
    const auto found = sources_.find(&value);
    const bool is_number = value.type()->isSubtypeOf(*c10::NumberType::get()) ||
                           value.type()->kind() == c10::TypeKind::BoolType;
    return found == sources_.end() || is_number ? Matches() : found->second;
  }

  void EnterBlock(const Node& node, Block* block, const Matches& from) {
    const bool is_loop = node.kind() == c10::prim::Loop;
    for (size_t i = 0; i < block->inputs().size(); ++i) {
      // %trip, carried values; the node has a limit and a condition first.
      Matches entering =
          is_loop && i > 0 ? SourcesOf(*node.inputs()[i + 1]) : from;
      sources_[block->inputs()[i]] = std::move(entering);
    }
  }

  absl::flat_hash_map<const Node*, size_t> ends_;
  absl::flat_hash_map<const Value*, Matches> sources_;
};

}  // namespace

std::vector<std::vector<size_t>> ProducersOf(Graph& graph,
                                             const MatchResult& matches) {
  Flow flow(matches);
  flow.Follow(graph.block());
  std::vector<std::vector<size_t>> producers;
  for (const SubgraphMatch& match : matches.matches) {
    producers.push_back(flow.Into(match.b.subgraph));
  }
  return producers;
}

}  // namespace ns
