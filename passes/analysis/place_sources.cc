#include "passes/analysis/place_sources.h"

#include <ATen/core/alias_info.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/aliasing/written_attributes.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/ops/op_families.h"
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

// Whether `node` makes a tensor of the shape of another one, and of no value
// in it.
bool TakesShapeAlone(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && row->family_row->facts.takes_shape_alone;
}

// Returns what `value` is a view of, by the schema of the op that made it; null
// where it is none.
const Value* BaseOf(const Value& value) {
  const Node& node = *value.node();
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (schema == nullptr || value.offset() >= schema->returns().size()) {
    return nullptr;
  }
  const c10::AliasInfo* of_output =
      schema->returns()[value.offset()].alias_info();
  for (size_t i = 0; of_output != nullptr && i < node.inputs().size() &&
                     i < schema->arguments().size();
       ++i) {
    const c10::AliasInfo* of_input = schema->arguments()[i].alias_info();
    if (of_input != nullptr && IsTensor(*node.inputs()[i]) &&
        of_input->beforeSets() == of_output->beforeSets()) {
      return node.inputs()[i];
    }
  }
  return nullptr;
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
      if (TakesShapeAlone(*node)) {
        from = {};
      }
      from.are_compared &= !ChangesValues(*node) && !ReadsState(*node);
      if (node->kind() == c10::prim::Loop) {
        MarkWritten(*node->blocks()[0]);
      }
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
        Write(*node->inputs()[0], from);
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

  // What reads `written`, or what it is a view of, later reads what an op
  // wrote.
  void Write(const Value& written, const PlaceSources& from) {
    sources_[&written] = from;
    // A view covers a part: the rest stays what it was.
    for (const Value* base = BaseOf(written); base != nullptr;
         base = BaseOf(*base)) {
      Add(from, sources_[base]);
    }
  }

  // What an op in place in the body of a loop writes to is, from the second
  // trip on, what the trip before has made.
  void MarkWritten(const Block& body) {
    ForEachNode(&body, [&](const Node* node) {
      if (!node->blocks().empty() || node->inputs().empty() ||
          !WorksInPlace(*node)) {
        return;
      }
      for (const Value* written = node->input(0); written != nullptr;
           written = BaseOf(*written)) {
        sources_[written].are_compared = false;
      }
    });
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
      // From the second trip on, it is what the trip before has made.
      entering.are_compared &=
          !is_loop || i == 0 || block->outputs()[i] == block->inputs()[i];
      sources_[block->inputs()[i]] = std::move(entering);
    }
  }

  const absl::Span<const Place> places_;
  const WrittenAttributes written_attributes_;
  llvm::DenseMap<const Node*, size_t> starts_;
  llvm::DenseMap<const Node*, size_t> ends_;
  std::vector<PlaceSources> into_;
  llvm::DenseMap<const Value*, PlaceSources> sources_;
};

}  // namespace

std::vector<PlaceSources> SourcesOfPlaces(Graph& graph,
                                          absl::Span<const Place> places) {
  Flow flow(graph, places);
  flow.Follow(graph.block());
  return flow.TakeInto();
}

}  // namespace ns
