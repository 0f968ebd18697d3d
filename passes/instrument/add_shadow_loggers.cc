#include "passes/instrument/add_shadow_loggers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "ir/graph/verifier.h"
#include "passes/instrument/shadow_inserter.h"
#include "passes/matching/matches/matched_outputs.h"
#include "passes/rewrite/copy_subgraph.h"

namespace ns {
namespace {

using ::torch::jit::Node;

class Shadower {
 public:
  Shadower(const std::string& name_a, const ModelGraph& a,
           const std::string& name_b, ModelGraph& b, const MatchResult& matches,
           const LoggerOptions& options)
      : name_a_(name_a),
        a_(a),
        name_b_(name_b),
        b_(b),
        matches_(matches),
        options_(options),
        shadows_(a, b, matches, {options.io_types, options.guard_shadows}) {
    FindCounterparts();
  }

  absl::StatusOr<std::vector<NotShadowedMatch>> Run() {
    std::vector<NotShadowedMatch> not_shadowed;
    for (size_t i = 0; i < matches_.matches.size(); ++i) {
      const SubgraphMatch& match = matches_.matches[i];
      const absl::StatusOr<InsertedShadow> shadow =
          shadows_.Insert(i, match.b.subgraph, counterparts_);
      if (shadow.ok()) {
        NS_RETURN_IF_ERROR(LogShadow(match, *shadow));
      } else {
        not_shadowed.push_back(
            {match.name, std::string(shadow.status().message())});
      }
    }
    NS_RETURN_IF_ERROR(shadows_.Finish());
    NS_RETURN_IF_ERROR(VerifyGraph(b_.graph()));
    return not_shadowed;
  }

 private:
  // Both models get the same inputs, and matched values have one shape.
  void FindCounterparts() {
    const auto inputs_a = a_.graph().inputs();
    const auto inputs_b = b_.graph().inputs();
    for (size_t i = 1; i < std::min(inputs_a.size(), inputs_b.size()); ++i) {
      if (*inputs_a[i]->type() == *inputs_b[i]->type()) {
        counterparts_[inputs_a[i]] = inputs_b[i];
      }
    }
    for (const SubgraphMatch& match : matches_.matches) {
      if (!match.is_quantize_point) {
        counterparts_[match.a.output] = match.b.output;
      }
    }
  }

  absl::Status LogShadow(const SubgraphMatch& match,
                         const InsertedShadow& shadow) {
    const Subgraph& shadowed = match.b.subgraph;
    if (options_.should_log_inputs && shadow.subgraph) {
      // Both inside the shadow: none runs any more once it has failed.
      Node* inside = shadow.subgraph->start;
      NS_RETURN_IF_ERROR(InsertInputLoggers(b_, options_, InfoOfA(match),
                                            *shadow.subgraph, match.a.subgraph,
                                            inside));
      NS_RETURN_IF_ERROR(InsertInputLoggers(b_, options_, InfoOfB(match),
                                            shadowed, shadowed, inside));
    }
    // All outputs of a subgraph are of one node.
    Node* behind = PlaceAfter(*match.b.output);
    const std::vector<MatchedOutput> outputs = MatchedOutputs(match);
    for (size_t i = 0; i < outputs.size(); ++i) {
      // The tensor of the shadow has been taken out of what it gives.
      NS_RETURN_IF_ERROR(InsertOutputLogger(
          b_, options_, InfoOfA(match), outputs[i], {outputs[i].a.value, 0},
          shadow.tensors[i], shadow.PlaceWhenMade(shadowed.start)));
      NS_RETURN_IF_ERROR(InsertOutputLogger(
          b_, options_, InfoOfB(match), outputs[i], outputs[i].b,
          outputs[i].b.value, shadow.PlaceWhenMade(behind)));
    }
    return absl::OkStatus();
  }

  LoggerInfo InfoOfA(const SubgraphMatch& match) const {
    return OutputInfo(match, match.a, name_a_);
  }

  LoggerInfo InfoOfB(const SubgraphMatch& match) const {
    LoggerInfo info = OutputInfo(match, match.b, name_b_);
    if (options_.compat) {
      info.fqn = matches_.matches.back().b.fqn;
    }
    return info;
  }

  const std::string& name_a_;
  const ModelGraph& a_;
  const std::string& name_b_;
  ModelGraph& b_;
  const MatchResult& matches_;
  const LoggerOptions& options_;
  ShadowInserter shadows_;
  ValueCounterparts counterparts_;
};

}  // namespace

absl::StatusOr<std::vector<NotShadowedMatch>> AddShadowLoggers(
    const std::string& name_a, const ModelGraph& a, const std::string& name_b,
    ModelGraph& b, const MatchResult& matches, const LoggerOptions& options) {
  return Shadower(name_a, a, name_b, b, matches, options).Run();
}

std::vector<NotShadowedMatch> FailedShadows(const torch::jit::Module& module) {
  std::vector<NotShadowedMatch> failed;
  for (const ShadowGuardPtr& guard : AttachedGuards(module)) {
    if (guard->HasFailed()) {
      failed.push_back({guard->layer(), guard->reason()});
    }
  }
  return failed;
}

}  // namespace ns
