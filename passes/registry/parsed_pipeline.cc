#include "passes/registry/parsed_pipeline.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/model_graph.h"
#include "ir/nearest_name.h"
#include "ir/status.h"
#include "passes/matching/match_follower.h"
#include "passes/pipeline/pass_options.h"

namespace ns {
namespace {

absl::StatusOr<const PassEntry*> FindPass(absl::Span<const PassEntry> passes,
                                          absl::string_view name) {
  const auto it = absl::c_find_if(
      passes, [&](const PassEntry& entry) { return entry.name == name; });
  if (it != passes.end()) {
    return &*it;
  }
  std::vector<absl::string_view> names;
  for (const PassEntry& entry : passes) {
    names.push_back(entry.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown pass '", name, "'; ",
                   DidYouMean(name, names, "see --list-passes")));
}

absl::Status WithPass(absl::string_view name, const absl::Status& status) {
  return Annotated(absl::StrCat("pass '", name, "'"), status);
}

// Takes the option `on`, which all passes of one model have, out of `values`.
absl::StatusOr<bool> TakeOnFloat(PassOptions::Values& values) {
  const auto it = absl::c_find_if(
      values, [](const auto& value) { return value.first == "on"; });
  if (it == values.end()) {
    return false;
  }
  const std::string model = it->second;
  if (model != "float" && model != "quantized") {
    return absl::InvalidArgumentError(
        absl::StrCat("option 'on' is '", model, "'; use quantized or float"));
  }
  values.erase(it);
  return model == "float";
}

}  // namespace

absl::StatusOr<ParsedPipeline> ParsedPipeline::Parse(
    absl::string_view text, absl::Span<const PassEntry> passes) {
  NS_ASSIGN_OR_RETURN(std::vector<PassSpec> specs, ParsePassSpecs(text));
  ParsedPipeline pipeline;
  for (PassSpec& spec : specs) {
    NS_ASSIGN_OR_RETURN(const PassEntry* entry, FindPass(passes, spec.name));
    Step step;
    if (entry->make != nullptr) {
      const absl::StatusOr<bool> on_float = TakeOnFloat(spec.options);
      if (!on_float.ok()) {
        return WithPass(spec.name, on_float.status());
      }
      step.on_float = *on_float;
    }
    PassOptions options(std::move(spec.options));
    absl::Status status;
    if (entry->make != nullptr) {
      absl::StatusOr<std::unique_ptr<Pass>> made = entry->make(options);
      status = made.status();
      step.pass = made.ok() ? *std::move(made) : nullptr;
    } else {
      absl::StatusOr<std::unique_ptr<PairPass>> made =
          entry->make_pair(options);
      status = made.status();
      step.pair_pass = made.ok() ? *std::move(made) : nullptr;
    }
    if (!status.ok()) {
      return WithPass(spec.name, status);
    }
    pipeline.steps_.push_back(std::move(step));
  }
  return pipeline;
}

absl::string_view ParsedPipeline::FirstOfTwoModels() const {
  for (const Step& step : steps_) {
    if (step.pair_pass != nullptr) {
      return step.pair_pass->name();
    }
  }
  return "";
}

absl::StatusOr<std::vector<PassRecord>> ParsedPipeline::Run(
    ModelGraph& model, PassContext& context,
    const PassRunOptions& options) const {
  PassRunner runner(options, context);
  for (const Step& step : steps_) {
    NS_RETURN_IF_ERROR(runner.Run(*step.pass, model).status());
  }
  return runner.records();
}

absl::StatusOr<bool> ParsedPipeline::RunOnOne(const Step& step,
                                              MatchedModels& models,
                                              PassContext& context,
                                              PassRunner& runner) {
  if (step.on_float || !models.matches) {
    NS_ASSIGN_OR_RETURN(
        const bool changed,
        runner.Run(*step.pass, step.on_float ? models.a : models.b));
    if (changed) {
      models.matches.reset();
    }
    return changed;
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
  return changed;
}

absl::StatusOr<std::vector<PassRecord>> ParsedPipeline::Run(
    MatchedModels& models, PassContext& context,
    const PassRunOptions& options) const {
  PassRunner runner(options, context);
  for (const Step& step : steps_) {
    if (step.pass != nullptr) {
      NS_RETURN_IF_ERROR(RunOnOne(step, models, context, runner).status());
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

}  // namespace ns
