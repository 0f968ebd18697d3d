#include "passes/pipeline/pair_pipeline.h"

#include <torch/csrc/jit/ir/ir.h>

#include "ir/base/status.h"
#include "ir/model/model_graph.h"
#include "passes/matching/matches/match_follower.h"

namespace ns {

PairPipeline& PairPipeline::Add(std::unique_ptr<PairPass> pass) {
  steps_.push_back({nullptr, std::move(pass), /*on_float=*/false});
  return *this;
}

PairPipeline& PairPipeline::Add(std::unique_ptr<Pass> pass) {
  steps_.push_back({std::move(pass), nullptr, /*on_float=*/false});
  return *this;
}

PairPipeline& PairPipeline::AddToFloat(std::unique_ptr<Pass> pass) {
  steps_.push_back({std::move(pass), nullptr, /*on_float=*/true});
  return *this;
}

absl::string_view PairPipeline::FirstOfTwoModels() const {
  for (const Step& step : steps_) {
    if (step.pair_pass != nullptr) {
      return step.pair_pass->name();
    }
  }
  return "";
}

PassRunOptions PairPipeline::Named(PassRunOptions options) const {
  if (options.pipeline.empty()) {
    options.pipeline = name_;
  }
  return options;
}

absl::Status PairPipeline::RunOnOne(const Step& step, MatchedModels& models,
                                    PassContext& context, PassRunner& runner) {
  if (step.on_float || !models.matches) {
    NS_ASSIGN_OR_RETURN(
        const bool changed,
        runner.Run(*step.pass, step.on_float ? models.a : models.b));
    if (changed) {
      models.matches.reset();
    }
    return absl::OkStatus();
  }
  MatchFollower follower(*models.matches);
  const ScopedReplacementListener listener(
      context, [&](const torch::jit::Value& old, torch::jit::Value& now) {
        follower.Replaced(old, now);
      });
  NS_ASSIGN_OR_RETURN(const bool changed, runner.Run(*step.pass, models.b));
  if (changed && !follower.Follow(models.b.graph())) {
    models.matches.reset();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<PassRecord>> PairPipeline::Run(
    MatchedModels& models, PassContext& context,
    const PassRunOptions& options) const {
  const PassRunOptions named = Named(options);
  PassRunner runner(named, context);
  for (const Step& step : steps_) {
    if (step.pass != nullptr) {
      NS_RETURN_IF_ERROR(RunOnOne(step, models, context, runner));
      continue;
    }
    NS_RETURN_IF_ERROR(
        runner
            .Run(step.pair_pass->name(), {&models.a, &models.b},
                 [&] { return step.pair_pass->Run(models, context); })
            .status());
  }
  return runner.records();
}

absl::StatusOr<std::vector<PassRecord>> PairPipeline::Run(
    ModelGraph& model, PassContext& context,
    const PassRunOptions& options) const {
  const PassRunOptions named = Named(options);
  PassRunner runner(named, context);
  for (const Step& step : steps_) {
    NS_RETURN_IF_ERROR(runner.Run(*step.pass, model).status());
  }
  return runner.records();
}

}  // namespace ns
