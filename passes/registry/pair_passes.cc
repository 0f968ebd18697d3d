#include "passes/registry/pair_passes.h"

#include <torch/csrc/jit/ir/ir.h>

#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ir/graph/pass_context.h"
#include "passes/instrument/add_loggers.h"
#include "passes/instrument/add_shadow_loggers.h"
#include "passes/instrument/logger_info.h"
#include "passes/instrument/pair/attached_comparer.h"

namespace ns {
namespace {

// The names of the two models in loggers.
constexpr char kFloat[] = "float";
constexpr char kQuantized[] = "quantized";

absl::Status CheckMatched(const MatchedModels& models) {
  return models.matches
             ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   "needs matches; put 'match' before it, behind passes that "
                   "rewrite the models");
}

// Adds remarks on the quantized ops of matches that were left out.
void RemarkOn(const std::vector<NotShadowedMatch>& left_out,
              const MatchResult& matches, PassContext& context) {
  for (const NotShadowedMatch& one : left_out) {
    for (const SubgraphMatch& match : matches.matches) {
      if (match.name == one.name) {
        context.Remark(*match.b.subgraph.base, one.reason);
      }
    }
  }
}

bool HaveLoggers(const MatchedModels& models) {
  return !AttachedLoggers(models.a.module()).empty() ||
         !AttachedLoggers(models.b.module()).empty();
}

}  // namespace

absl::StatusOr<bool> MatchPass::Run(MatchedModels& models,
                                    PassContext& context) const {
  NS_ASSIGN_OR_RETURN(models.matches,
                      MatchSubgraphs(models.a, models.b, options_));
  for (const UnmatchedOp& op : models.matches->unmatched_b) {
    context.Remark(*op.node, op.reason);
  }
  return false;
}

absl::StatusOr<bool> AddLoggersPass::Run(MatchedModels& models,
                                         PassContext& /*context*/) const {
  NS_RETURN_IF_ERROR(CheckMatched(models));
  if (HaveLoggers(models) || models.matches->matches.empty()) {
    return false;
  }
  NS_RETURN_IF_ERROR(AddLoggers(kFloat, models.a, kQuantized, models.b,
                                *models.matches, options_));
  return true;
}

absl::StatusOr<bool> AddShadowLoggersPass::Run(MatchedModels& models,
                                               PassContext& context) const {
  NS_RETURN_IF_ERROR(CheckMatched(models));
  if (HaveLoggers(models)) {
    return false;
  }
  NS_ASSIGN_OR_RETURN(const std::vector<NotShadowedMatch> not_shadowed,
                      AddShadowLoggers(kFloat, models.a, kQuantized, models.b,
                                       *models.matches, options_));
  RemarkOn(not_shadowed, *models.matches, context);
  return !AttachedLoggers(models.b.module()).empty();
}

absl::StatusOr<bool> PairModelsPass::Run(MatchedModels& models,
                                         PassContext& context) const {
  if (HasComparers(models.b.module())) {
    return false;
  }
  NS_RETURN_IF_ERROR(CheckMatched(models));
  if (models.matches->matches.empty()) {
    return false;
  }
  NS_ASSIGN_OR_RETURN(PairedModels paired,
                      PairModels(models.a, models.b, *models.matches, plan_));
  RemarkOn(paired.not_shadowed, *models.matches, context);
  RemarkOn(paired.no_reference, *models.matches, context);
  models.matches.reset();
  models.b = std::move(paired.model);
  return true;
}

}  // namespace ns
