#include "passes/matching/match_producers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/node_view.h"
#include "passes/analysis/subgraph.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

void Add(const Producers& more, Producers& producers) {
  std::vector<size_t> all;
  std::set_union(producers.matches.begin(), producers.matches.end(),
                 more.matches.begin(), more.matches.end(),
                 std::back_inserter(all));
  producers.matches = std::move(all);
  producers.are_compared &= more.are_compared;
}

// Follows values from matched subgraphs to where they are used.
class Flow {
 public:
  explicit Flow(const MatchResult& matches) : matches_(matches) {
    for (size_t i = 0; i < matches.matches.size(); ++i) {
      const Subgraph& subgraph = matches.matches[i].b.subgraph;
      starts_[subgraph.start] = i;
      ends_[subgraph.end] = i;
    }
    into_.resize(matches.matches.size());
  }

  void Follow(Block* block) {
    for (Node* node : block->nodes()) {
      const auto start = starts_.find(node);
      if (start != starts_.end()) {
        // The inputs are looked up now, since what they hold may be overwritten
        // later.
        into_[start->second] = Into(matches_.matches[start->second].b.subgraph);
      }
      Producers from;
      for (const Value* input : node->inputs()) {
        Add(SourcesOf(*input), from);
      }
      for (Block* inner : node->blocks()) {
        EnterBlock(*node, inner, from);
        Follow(inner);
      }
      for (size_t i = 0; i < node->outputs().size(); ++i) {
        sources_[node->outputs()[i]] =
            node->blocks().empty() ? from : OutOfBlocks(*node, i);
      }
      const auto match = ends_.find(node);
      if (match != ends_.end()) {
        const Value* compared = matches_.matches[match->second].b.output;
        for (const Value* output : node->outputs()) {
          from = {{match->second}, output == compared && IsTensor(*output)};
          sources_[output] = from;
        }
      }
      if (node->blocks().empty() && !node->inputs().empty() &&
          WorksInPlace(*node)) {
        // What reads the input later reads what this op wrote.
        sources_[node->inputs()[0]] = from;
      }
    }
  }

  // Returns what flows into each match, by its index.
  std::vector<Producers> TakeInto() { return std::move(into_); }

 private:
  Producers Into(const Subgraph& subgraph) const {
    Producers producers;
    for (const Value* input : DataInputsOf(subgraph)) {
      Add(SourcesOf(*input), producers);
    }
    return producers;
  }

  // Returns the producers of output `index` of control flow.
  Producers OutOfBlocks(Node& node, size_t index) const {
    // A loop's body returns a condition first. Since it may not run at all, the
    // loop's own input counts as well.
    const bool is_loop = node.kind() == c10::prim::Loop;
    Producers producers;
    if (is_loop) {
      producers = SourcesOf(*node.inputs()[index + 2]);
    }
    for (const Block* block : node.blocks()) {
      Add(SourcesOf(*block->outputs()[is_loop ? index + 1 : index]), producers);
    }
    return producers;
  }

  // Numbers carry no data.
  static bool IsNumber(const c10::Type& type) {
    switch (type.kind()) {
      case c10::TypeKind::IntType:
      case c10::TypeKind::FloatType:
      case c10::TypeKind::BoolType:
      case c10::TypeKind::NumberType:
        return true;
      case c10::TypeKind::ListType:
        return IsNumber(*type.castRaw<c10::ListType>()->getElementType());
      default:
        return false;
    }
  }

  Producers SourcesOf(const Value& value) const {
    const auto found = sources_.find(&value);
    return found == sources_.end() || IsNumber(*value.type()) ? Producers()
                                                              : found->second;
  }

  void EnterBlock(const Node& node, Block* block, const Producers& from) {
    const bool is_loop = node.kind() == c10::prim::Loop;
    for (size_t i = 0; i < block->inputs().size(); ++i) {
      // The body of a loop has the inputs %trip and the carried values, while
      // the node has a limit and a condition in front of these.
      Producers entering =
          is_loop && i > 0 ? SourcesOf(*node.inputs()[i + 1]) : from;
      sources_[block->inputs()[i]] = std::move(entering);
    }
  }

  const MatchResult& matches_;
  absl::flat_hash_map<const Node*, size_t> starts_;
  absl::flat_hash_map<const Node*, size_t> ends_;
  std::vector<Producers> into_;
  absl::flat_hash_map<const Value*, Producers> sources_;
};

}  // namespace

std::vector<Producers> ProducersOf(Graph& graph, const MatchResult& matches) {
  Flow flow(matches);
  flow.Follow(graph.block());
  return flow.TakeInto();
}

}  // namespace ns
