#include "passes/analysis/place_sources.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "ir/node_view.h"
#include "ir/written_attributes.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

void Add(const PlaceSources& more, PlaceSources& sources) {
  std::vector<size_t> all;
  std::set_union(sources.places.begin(), sources.places.end(),
                 more.places.begin(), more.places.end(),
                 std::back_inserter(all));
  sources.places = std::move(all);
  sources.are_compared &= more.are_compared;
}

// Whether `node` computes values from data, and does not only move them, cast
// them or hold them together. Dropout does nothing in inference.
bool ChangesValues(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr) {
    return IsLeafCall(node) ||
           (!node.kind().is_prim() && !DataInputs(node).empty());
  }
  const bool computes =
      (row->role == Role::kCompute && row->family != "dropout") ||
      row->role == Role::kQuantize || row->role == Role::kObserve;
  return computes && !DataInputs(node).empty();
}

// Follows values from places to where they are used.
class Flow {
 public:
  Flow(const Graph& graph, absl::Span<const Place> places)
      : places_(places), written_attributes_(graph) {
    for (size_t i = 0; i < places.size(); ++i) {
      starts_[places[i].subgraph->start] = i;
      ends_[places[i].subgraph->end] = i;
    }
    into_.resize(places.size());
  }

  void Follow(Block* block) {
    for (Node* node : block->nodes()) {
      const auto start = starts_.find(node);
      if (start != starts_.end()) {
        // The inputs are looked up now, since what they hold may be overwritten
        // later.
        into_[start->second] = Into(*places_[start->second].subgraph);
      }
      PlaceSources from;
      for (const Value* input : node->inputs()) {
        Add(SourcesOf(*input), from);
      }
      from.are_compared &= !ChangesValues(*node) && !ReadsState(*node);
      for (Block* inner : node->blocks()) {
        EnterBlock(*node, inner, from);
        Follow(inner);
      }
      for (size_t i = 0; i < node->outputs().size(); ++i) {
        sources_[node->outputs()[i]] =
            node->blocks().empty() ? from : OutOfBlocks(*node, i);
      }
      const auto place = ends_.find(node);
      if (place != ends_.end()) {
        const Value* compared = places_[place->second].compared;
        for (const Value* output : node->outputs()) {
          from = {{place->second}, output == compared && IsTensor(*output)};
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

  // Returns what flows into each place, by its index.
  std::vector<PlaceSources> TakeInto() { return std::move(into_); }

 private:
  PlaceSources Into(const Subgraph& subgraph) const {
    PlaceSources sources;
    for (const Value* input : DataInputsOf(subgraph)) {
      Add(SourcesOf(*input), sources);
    }
    return sources;
  }

  // Whether `node` reads what the model keeps from run to run.
  bool ReadsState(const Node& node) const {
    return node.kind() == c10::prim::GetAttr &&
           written_attributes_.Contains(node.s(c10::attr::name));
  }

  // Returns the sources of output `index` of control flow.
  PlaceSources OutOfBlocks(Node& node, size_t index) const {
    // A loop's body returns a condition first. Since it may not run at all, the
    // loop's own input counts as well.
    const bool is_loop = node.kind() == c10::prim::Loop;
    PlaceSources sources;
    if (is_loop) {
      sources = SourcesOf(*node.inputs()[index + 2]);
    }
    for (const Block* block : node.blocks()) {
      Add(SourcesOf(*block->outputs()[is_loop ? index + 1 : index]), sources);
    }
    return sources;
  }

  // Whether values of this type carry no data: numbers, and devices.
  static bool HasNoData(const c10::Type& type) {
    switch (type.kind()) {
      case c10::TypeKind::IntType:
      case c10::TypeKind::FloatType:
      case c10::TypeKind::BoolType:
      case c10::TypeKind::NumberType:
      case c10::TypeKind::DeviceObjType:
        return true;
      case c10::TypeKind::ListType:
        return HasNoData(*type.castRaw<c10::ListType>()->getElementType());
      default:
        return false;
    }
  }

  PlaceSources SourcesOf(const Value& value) const {
    const auto found = sources_.find(&value);
    return found == sources_.end() || HasNoData(*value.type()) ? PlaceSources()
                                                               : found->second;
  }

  void EnterBlock(const Node& node, Block* block, const PlaceSources& from) {
    const bool is_loop = node.kind() == c10::prim::Loop;
    for (size_t i = 0; i < block->inputs().size(); ++i) {
      // The body of a loop has the inputs %trip and the carried values, while
      // the node has a limit and a condition in front of these.
      PlaceSources entering =
          is_loop && i > 0 ? SourcesOf(*node.inputs()[i + 1]) : from;
      sources_[block->inputs()[i]] = std::move(entering);
    }
  }

  const absl::Span<const Place> places_;
  const WrittenAttributes written_attributes_;
  absl::flat_hash_map<const Node*, size_t> starts_;
  absl::flat_hash_map<const Node*, size_t> ends_;
  std::vector<PlaceSources> into_;
  absl::flat_hash_map<const Value*, PlaceSources> sources_;
};

}  // namespace

std::vector<PlaceSources> SourcesOfPlaces(Graph& graph,
                                          absl::Span<const Place> places) {
  Flow flow(graph, places);
  flow.Follow(graph.block());
  return flow.TakeInto();
}

}  // namespace ns
