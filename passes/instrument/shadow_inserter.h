// Puts shadows into a graph: copies of the subgraphs of one model, beside their
// counterparts in another.
#ifndef PASSES_INSTRUMENT_SHADOW_INSERTER_H_
#define PASSES_INSTRUMENT_SHADOW_INSERTER_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/subgraph.h"
#include "passes/analysis/value_facts.h"
#include "passes/instrument/guarded_shadow.h"
#include "passes/instrument/shadow_parts.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_io_types.h"
#include "passes/rewrite/copy_subgraph.h"
#include "passes/runtime/loggers/shadow_guard.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// A subgraph of one model in the graph of another, whose values it takes.
struct InsertedShadow {
  // The tensors that it computes, in the order of MatchedOutputs.
  std::vector<torch::jit::Value*> tensors;
  // Its nodes; none at a quantize point, where the shadow is a value that is
  // there already.
  std::optional<Subgraph> subgraph;
  // Present where Options::guards asks for it, but at quantize points.
  std::optional<GuardedShadow> guarded;
  // Null unless Options::parts asks for them. They can be used where `tensors`
  // can.
  ShadowParts parts;

  // Returns the node in front of which to insert nodes that use `tensors` and
  // are to run at `place`, a node behind the shadow: GuardedShadow's, or
  // `place` itself for a shadow without a guard.
  torch::jit::Node* PlaceWhenMade(torch::jit::Node* place) const;
};

// Inserts shadows into one graph.
class ShadowInserter {
 public:
  struct Options {
    // What ops compute with that the op table does not know.
    OpIoTypes io_types = {};
    // Whether a shadow that fails as the model runs is left out
    // (guarded_shadow.h). Otherwise the run ends there.
    bool guards = true;
    // Whether ShadowParts are made beside each shadow.
    bool parts = false;
  };

  // Copies subgraphs of `source` into the graph of `host`. `matches` are those
  // of `source`, as A, with a model B, which is `host` or has been copied into
  // it. All must outlive the inserter.
  ShadowInserter(const ModelGraph& source, ModelGraph& host,
                 const MatchResult& matches, Options options)
      : source_(source),
        host_(host),
        matches_(matches),
        options_(std::move(options)) {}

  // Copies A's subgraph of match `index` in front of `shadowed`, which is B's
  // subgraph in the host or a copy of it there. The shadow takes the inputs of
  // `shadowed`, cast to the dtype that A's subgraph computes with (see
  // passes/rewrite/shadow_casts.h):
  //
  //   %y = quantized::conv2d_relu(%x, %packed, %scale, %zero_point)
  // becomes
  //   %float = ns::as_float(%x)
  //   %shadow = aten::conv2d(%float, %weight, ...)
  //   %shadow_relu = aten::relu(%shadow)
  //   %y = quantized::conv2d_relu(%x, %packed, %scale, %zero_point)
  //
  // It stands in front since `shadowed` may overwrite its inputs. At a quantize
  // point nothing is inserted: the shadow is the value that is quantized.
  // A shadow with a prim::If takes the arm that `shadowed` takes.
  //
  // `counterparts` is as in CopySubgraph; conditions of prim::Ifs are added.
  // Error: the reason why there can be no shadow; the graph of the host is then
  // as it was.
  absl::StatusOr<InsertedShadow> Insert(size_t index, const Subgraph& shadowed,
                                        ValueCounterparts& counterparts);

  // Calls GuardedShadow::MoveToMethod for all guarded shadows. Call it once,
  // when nothing else is to be done to the graph. Error: that of MoveToMethod,
  // which is a fault of this library.
  absl::Status Finish();

  // Returns the guard of the shadows of match `index`; null without one.
  ShadowGuardPtr GuardOf(size_t index) const;

 private:
  absl::StatusOr<InsertedShadow> InsertCopy(const SubgraphMatch& match,
                                            const Subgraph& shadowed,
                                            ValueCounterparts& counterparts);
  // The attribute of the guard of a match, which is made with its first shadow.
  const std::string& GuardAttributeOf(size_t index);

  const ModelGraph& source_;
  ModelGraph& host_;
  const MatchResult& matches_;
  const Options options_;
  // What is known of the values of the source; found for the first shadow.
  std::optional<ValueFacts> facts_;
  std::map<size_t, std::string> guard_attributes_;
  std::vector<GuardedShadow> guarded_;
};

// Returns the guards that hang on `module`, in the order in which their matches
// got a first shadow.
std::vector<ShadowGuardPtr> AttachedGuards(const torch::jit::Module& module);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_SHADOW_INSERTER_H_
