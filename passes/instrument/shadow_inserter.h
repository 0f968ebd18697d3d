// Puts the subgraphs of one model beside their counterparts in another.
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
#include "ir/model_graph.h"
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
  // The tensors, in the order of MatchedOutputs.
  std::vector<torch::jit::Value*> tensors;
  // The nodes; none at a quantize point, where the shadow is a value that is
  // there already.
  std::optional<Subgraph> subgraph;
  // Where the shadow is guarded.
  std::optional<GuardedShadow> guarded;
  // Null where they were not asked for. They can be used where the tensors can.
  ShadowParts parts;

  // In front of which node to insert what uses the tensors at `place`.
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

  // Shadows are of subgraphs of `source`, and stand in `host`. `matches` are
  // those of which A is `source`. All must outlive the inserter.
  ShadowInserter(const ModelGraph& source, ModelGraph& host,
                 const MatchResult& matches, Options options)
      : source_(source),
        host_(host),
        matches_(matches),
        options_(std::move(options)) {}

  // Copies A's subgraph of match `index` in front of `shadowed`, B's subgraph
  // in the host or a copy of it there, and feeds it with what that is fed, cast
  // to what the original computes with (see shadow_casts.h):
  //
  //   %y = quantized::conv2d_relu(%x, %packed, %scale, %zero_point)
  // becomes
  //   %float = ns::as_float(%x)
  //   %shadow = aten::conv2d(%float, %weight, ...)
  //   %shadow_relu = aten::relu(%shadow)
  //   %y = quantized::conv2d_relu(%x, %packed, %scale, %zero_point)
  //
  // In front, since what is shadowed may overwrite its inputs. At a quantize
  // point the shadow is the value that is quantized. `counterparts` is as in
  // CopySubgraph. Error: the reason why it cannot be shadowed; the graph of the
  // host is then as it was.
  absl::StatusOr<InsertedShadow> Insert(size_t index, const Subgraph& shadowed,
                                        const ValueCounterparts& counterparts);

  // Completes the guards; comes last. Error: that of
  // GuardedShadow::MoveToMethod, a fault of ours.
  absl::Status Finish();

  // The guard of the shadows of a match; null without.
  ShadowGuardPtr GuardOf(size_t index) const;

 private:
  absl::StatusOr<InsertedShadow> InsertCopy(
      const SubgraphMatch& match, const Subgraph& shadowed,
      const ValueCounterparts& counterparts);
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

// The guards that hang on `module`, in the order of their matches.
std::vector<ShadowGuardPtr> AttachedGuards(const torch::jit::Module& module);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_SHADOW_INSERTER_H_
