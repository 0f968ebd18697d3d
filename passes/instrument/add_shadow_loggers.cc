#include "passes/instrument/add_shadow_loggers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ir/status.h"
#include "ir/verifier.h"
#include "passes/analysis/value_facts.h"
#include "passes/instrument/insert_shadow.h"
#include "passes/matching/matched_outputs.h"
#include "passes/rewrite/copy_subgraph.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

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
        facts_a_(a.graph(), options.io_types) {
    FindCounterparts();
  }

  absl::StatusOr<std::vector<NotShadowedMatch>> Run() {
    std::vector<NotShadowedMatch> not_shadowed;
    for (const SubgraphMatch& match : matches_.matches) {
      if (match.is_quantize_point) {
        NS_RETURN_IF_ERROR(LogQuantizePoint(match));
        continue;
      }
      const absl::StatusOr<CopiedSubgraph> shadow = InsertShadow(
          a_, match.a, b_, match.b.subgraph, counterparts_, facts_a_);
      if (shadow.ok()) {
        NS_RETURN_IF_ERROR(LogShadow(match, *shadow));
      } else {
        not_shadowed.push_back(
            {match.name, std::string(shadow.status().message())});
      }
    }
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

  // The value that is quantized is the shadow of what it becomes.
  absl::Status LogQuantizePoint(const SubgraphMatch& match) {
    Node* quantize = match.b.subgraph.start;
    NS_RETURN_IF_ERROR(
        InsertLogger(b_, options_, InfoOfA(match), quantize->input(0), quantize)
            .status());
    return LogB(match, MatchedOutputs(match).front());
  }

  absl::Status LogShadow(const SubgraphMatch& match,
                         const CopiedSubgraph& shadow) {
    const Subgraph& shadowed = match.b.subgraph;
    if (options_.should_log_inputs) {
      NS_RETURN_IF_ERROR(InsertInputLoggers(b_, options_, InfoOfA(match),
                                            shadow.subgraph, match.a.subgraph));
      NS_RETURN_IF_ERROR(
          InsertInputLoggers(b_, options_, InfoOfB(match), shadowed, shadowed));
    }
    for (const MatchedOutput& output : MatchedOutputs(match)) {
      // All outputs of a subgraph are of one node.
      Value* copy = shadow.output->node()->output(output.a.value->offset());
      NS_RETURN_IF_ERROR(InsertOutputLogger(b_, options_, InfoOfA(match),
                                            output, output.a, copy,
                                            shadowed.start));
      NS_RETURN_IF_ERROR(LogB(match, output));
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

  absl::Status LogB(const SubgraphMatch& match, const MatchedOutput& output) {
    return InsertOutputLogger(b_, options_, InfoOfB(match), output, output.b,
                              output.b.value, PlaceAfter(*output.b.value));
  }

  const std::string& name_a_;
  const ModelGraph& a_;
  const std::string& name_b_;
  ModelGraph& b_;
  const MatchResult& matches_;
  const LoggerOptions& options_;
  const ValueFacts facts_a_;
  ValueCounterparts counterparts_;
};

}  // namespace

absl::StatusOr<std::vector<NotShadowedMatch>> AddShadowLoggers(
    const std::string& name_a, const ModelGraph& a, const std::string& name_b,
    ModelGraph& b, const MatchResult& matches, const LoggerOptions& options) {
  return Shadower(name_a, a, name_b, b, matches, options).Run();
}

}  // namespace ns
