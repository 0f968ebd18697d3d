#include "ns/suite/compare_models.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/aliasing/written_attributes.h"
#include "ir/base/byte_stream.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/pass_context.h"
#include "ns/batches/batch.h"
#include "ns/suite/describe_models.h"
#include "ns/suite/emulation.h"
#include "ns/suite/measure_float_gains.h"
#include "ns/suite/measure_shares.h"
#include "ns/suite/model_outputs.h"
#include "ns/suite/non_finite_inputs.h"
#include "ns/suite/output_shares.h"
#include "ns/suite/pair_runner.h"
#include "ns/suite/repeatability.h"
#include "ns/suite/result_of_matches.h"
#include "ns/suite/try_changes.h"
#include "ns/suite/user_figures.h"
#include "ns/timing/time_layers.h"
#include "passes/lowering/lower_matched.h"
#include "passes/matching/matches/copied_matches.h"

namespace ns {
namespace {

NonFiniteInputs InputsOf(const ModelGraph& model) {
  return NonFiniteInputs(
      model.module().get_method(model.method()).function().getSchema());
}

absl::Status RunBatch(PairRunner& runner, const BatchReader& batches,
                      int64_t index, const CompareOptions& options,
                      NonFiniteInputs& inputs) {
  NS_ASSIGN_OR_RETURN(const Batch batch, batches.Read(index));
  inputs.Look(batch, index);
  runner.SetBatch(index);
  NS_RETURN_IF_ERROR(Annotated(BatchName(batch, index), runner.Run(batch)));
  if (!options.see_outputs) {
    return absl::OkStatus();
  }
  const auto [of_float, of_quantized] = runner.TakeOutputs();
  return options.see_outputs(index, of_float, of_quantized);
}

// How many batches were run before, and will be in all.
struct Passes {
  int64_t done = 0;
  int64_t total = 0;
};

// Runs the first `count` batches, fewer where `stop` says so after some of
// them. Returns how many.
absl::StatusOr<int64_t> RunBatches(
    PairRunner& runner, const BatchReader& batches, int64_t count,
    const CompareOptions& options, const Passes& passes,
    NonFiniteInputs& inputs,
    const std::function<bool(int64_t done)>& stop = nullptr) {
  for (int64_t i = 0; i < count; ++i) {
    NS_RETURN_IF_ERROR(RunBatch(runner, batches, i, options, inputs));
    if (options.progress) {
      options.progress(passes.done + i + 1, passes.total);
    }
    if (stop && i + 1 < count && stop(i + 1)) {
      return i + 1;
    }
  }
  return count;
}

// What a run gathers from its batches.
struct Gathered {
  PairRunner& runner;
  ModelOutputs& outputs;
  NonFiniteInputs& inputs;
};

std::string StateOf(const Gathered& gathered, const CompareOptions& options) {
  ByteWriter writer;
  gathered.runner.Save(writer);
  gathered.outputs.Save(writer);
  gathered.inputs.Save(writer);
  if (options.save_seen) {
    options.save_seen(writer);
  }
  return writer.Take();
}

absl::Status MergeState(absl::string_view state, const CompareOptions& options,
                        Gathered& gathered) {
  ByteReader reader(state);
  NS_RETURN_IF_ERROR(CatchTorchErrors("reading the state of a shard", [&] {
    gathered.runner.Merge(reader);
    gathered.outputs.Merge(ModelOutputs::Load(reader));
  }));
  gathered.inputs.Merge(reader);
  if (options.merge_seen) {
    options.merge_seen(reader);
  }
  return reader.AtEnd()
             ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   "the state does not fit the models; run the shard again");
}

// Error: the run of a batch depends on which ones ran before it.
absl::Status CheckIndependentBatches(const ModelGraph& float_model,
                                     const ModelGraph& quantized_model) {
  for (const auto& [name, model] : {std::pair("float", &float_model),
                                    std::pair("quantized", &quantized_model)}) {
    if (!WrittenAttributes(model->graph()).empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the ", name,
          " model keeps state from batch to batch, which shards do not see of "
          "one another; run it in one process"));
    }
  }
  const std::vector<std::string> warnings =
      RepeatabilityWarnings(float_model, quantized_model);
  return warnings.empty() ? absl::OkStatus()
                          : absl::InvalidArgumentError(absl::StrCat(
                                warnings[0],
                                "; shards draw other numbers than one process "
                                "does"));
}

// Runs the batches of one shard.
absl::Status RunShard(const BatchReader& batches, const CompareOptions& options,
                      Gathered& gathered) {
  const ShardRun& run = *options.shard;
  const int64_t size = run.shard.Size(batches.size());
  if (run.resumed > 0) {
    NS_RETURN_IF_ERROR(MergeState(run.resumed_state, options, gathered));
  }
  const auto state = [&] { return StateOf(gathered, options); };
  if (run.resumed == size) {
    return run.after_batch(size, state);
  }
  for (int64_t i = run.resumed; i < size; ++i) {
    NS_RETURN_IF_ERROR(RunBatch(gathered.runner, batches, run.shard.BatchAt(i),
                                options, gathered.inputs));
    if (options.progress) {
      options.progress(i + 1, size);
    }
    NS_RETURN_IF_ERROR(run.after_batch(i + 1, state));
  }
  return absl::OkStatus();
}

// SQNR in dB of each activation where no sum saturates. The models are as the
// user gave them, and `matched` has their matches.
absl::StatusOr<std::vector<std::optional<double>>> ExactActivations(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchResult& matched, const BatchReader& batches,
    const CompareOptions& options, const Passes& passes) {
  NS_ASSIGN_OR_RETURN(const ModelGraph float_copy, float_model.Clone());
  NS_ASSIGN_OR_RETURN(ModelGraph quantized_copy, quantized_model.Clone());
  MatchResult matches = MatchesOfCopies(matched, float_model, float_copy,
                                        quantized_model, quantized_copy);
  PassContext context;
  NS_RETURN_IF_ERROR(LowerMatched(quantized_copy, matches,
                                  kernels::SaturationMode::kExact, context));
  CompareOptions only_activations;
  only_activations.exact = options.exact;
  NS_ASSIGN_OR_RETURN(PairRunner runner,
                      PairRunner::Create(float_copy, quantized_copy, matches,
                                         only_activations));
  NonFiniteInputs inputs = InputsOf(float_model);  // known from the first run
  only_activations.progress = options.progress;
  // As many as were run before.
  NS_RETURN_IF_ERROR(
      RunBatches(runner, batches, passes.done, only_activations, passes, inputs)
          .status());
  std::vector<std::optional<double>> sqnr_db;
  for (size_t i = 0; i < matches.matches.size(); ++i) {
    const std::optional<ActivationComparison> figures =
        runner.FiguresOf(i).activation;
    sqnr_db.push_back(figures ? std::optional(figures->error.sqnr_db)
                              : std::nullopt);
  }
  return sqnr_db;
}

// Tries changes, and layers in float, over the batches that were run. What they
// gain is reported beside the comparison, which does not fail with it.
void TryChangesOf(const ModelGraph& float_model,
                  const ModelGraph& quantized_model, const MatchResult& matched,
                  const BatchReader& batches, const CompareOptions& options,
                  Passes passes, ComparisonResult& result) {
  const auto after_batch = [&] {
    if (options.progress) {
      options.progress(++passes.done, passes.total);
    }
  };
  const auto warn = [&](absl::string_view what, const absl::Status& status) {
    if (!status.ok()) {
      result.warnings.push_back(absl::StrCat(what, ": ", status.message()));
    }
  };
  warn("no changes were tried",
       TryChanges(float_model, quantized_model, matched, batches,
                  result.batches, options, after_batch, result));
  if (options.activations) {
    passes.done = passes.total - result.batches;
    warn("no layer was tried in float",
         MeasureFloatGains(float_model, quantized_model, matched, batches,
                           result.batches, options.io_types, after_batch,
                           result));
  }
}

// Sets the figures of all layers, over the batches so far.
void AddFigures(const PairRunner& runner, ComparisonResult& result) {
  for (size_t i = 0; i < result.layers.size(); ++i) {
    runner.SetFigures(i, result.layers[i]);
    SetLocalCost(runner.Variant(i), result.layers[i]);
  }
}

// Compares activations and shadows, batch by batch.
absl::Status RunAndCompare(const ModelGraph& float_model,
                           const ModelGraph& quantized_model,
                           const MatchResult& matches,
                           const Emulation& emulation,
                           const BatchReader& batches,
                           const CompareOptions& options, const Passes& passes,
                           ComparisonResult& result) {
  CompareOptions run_options = options;
  run_options.variants = emulation.UnsaturatedVariants(matches);
  run_options.channels = true;
  ModelOutputs outputs;
  if (options.activations) {
    run_options.see_outputs = [&](int64_t batch, const c10::IValue& of_float,
                                  const c10::IValue& of_quantized) {
      outputs.SetBatch(batch);
      outputs.Add(of_float, of_quantized);
      return options.see_outputs
                 ? options.see_outputs(batch, of_float, of_quantized)
                 : absl::OkStatus();
    };
  }
  NS_ASSIGN_OR_RETURN(
      PairRunner runner,
      PairRunner::Create(float_model, quantized_model, matches, run_options));
  NonFiniteInputs inputs = InputsOf(float_model);
  result.has_activations = options.activations;
  result.has_shadows = options.shadows;
  result.has_kernels = options.kernels;
  std::function<bool(int64_t)> stop;
  if (options.is_settled) {
    stop = [&](int64_t done) {
      result.batches = done;
      AddFigures(runner, result);
      return options.is_settled(result, batches.size() - done);
    };
  }
  Gathered gathered = {runner, outputs, inputs};
  if (options.shard) {
    return RunShard(batches, run_options, gathered);
  }
  if (options.merge) {
    NS_RETURN_IF_ERROR(
        options.merge->for_each_state([&](absl::string_view state) {
          return MergeState(state, run_options, gathered);
        }));
    result.batches = batches.size();
  } else {
    NS_ASSIGN_OR_RETURN(result.batches,
                        RunBatches(runner, batches, batches.size(), run_options,
                                   passes, inputs, stop));
  }
  AddFigures(runner, result);
  result.model_outputs = outputs.Figures();
  result.exchanged_outputs = outputs.Exchanged();
  for (const NotShadowedMatch& match : runner.not_shadowed()) {
    result.not_shadowed.push_back({match.name, match.reason});
  }
  for (const NotShadowedMatch& match : runner.no_reference()) {
    result.no_reference.push_back({match.name, match.reason});
  }
  for (const UserMetric& metric : options.user_metrics) {
    result.user_metrics.push_back(metric.name);
  }
  for (std::string& warning : NanWarnings(result)) {
    result.warnings.push_back(std::move(warning));
  }
  for (std::string& warning :
       RepeatabilityWarnings(float_model, quantized_model)) {
    result.warnings.push_back(std::move(warning));
  }
  result.inputs_are_finite = !inputs.found();
  if (inputs.found()) {
    result.warnings.push_back(inputs.Warning());
  }
  for (std::string& warning : runner.Warnings()) {
    result.warnings.push_back(std::move(warning));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ComparisonResult> DescribeMatches(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchOptions& options) {
  NS_ASSIGN_OR_RETURN(const MatchResult matches,
                      MatchSubgraphs(float_model, quantized_model, options));
  return ResultOfMatches(float_model, quantized_model, matches, options);
}

absl::StatusOr<ComparisonResult> CompareModels(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const BatchReader& batches, const CompareOptions& options) {
  NS_ASSIGN_OR_RETURN(
      const MatchResult matched,
      MatchSubgraphs(float_model, quantized_model, options.match));
  // A model may keep state in its attributes.
  NS_ASSIGN_OR_RETURN(const ModelGraph float_copy, float_model.Clone());
  NS_ASSIGN_OR_RETURN(ModelGraph quantized_copy, quantized_model.Clone());
  MatchResult matches = MatchesOfCopies(matched, float_model, float_copy,
                                        quantized_model, quantized_copy);
  NS_ASSIGN_OR_RETURN(
      ComparisonResult result,
      DescribeModels(float_copy, quantized_copy, matches, options));
  NS_ASSIGN_OR_RETURN(
      const Emulation emulation,
      Emulation::Create(quantized_copy, matches, options.emulate, result));
  if (options.times) {
    NS_ASSIGN_OR_RETURN(const Batch batch, batches.Read(0));
    NS_RETURN_IF_ERROR(
        TimeLayers(float_copy, quantized_copy, matches, batch, result));
  }
  if (!options.activations && !options.shadows && !options.kernels) {
    return result;
  }
  const bool runs_twice = emulation.CanSaturate() && options.activations;
  const bool tries_changes = options.try_changes && options.shadows;
  const bool tries_in_float = tries_changes && options.activations;
  Passes passes{
      0, batches.size() * (1 + (runs_twice ? 1 : 0) + (tries_changes ? 2 : 0) +
                           (tries_in_float ? 1 : 0))};
  if (options.shard || options.merge) {
    NS_RETURN_IF_ERROR(CheckIndependentBatches(float_model, quantized_model));
  }
  NS_RETURN_IF_ERROR(RunAndCompare(float_copy, quantized_copy, matches,
                                   emulation, batches, options, passes,
                                   result));
  if (options.shard) {
    return result;
  }
  emulation.TellCounts(result);
  if (options.shadows) {
    // A verdict without these shares is a less certain one.
    (options.emulate ? MeasureShares(float_copy, quantized_copy, matches,
                                     batches, options, result)
                     : MeasureShares(float_model, quantized_model, matched,
                                     batches, options, result))
        .IgnoreError();
  }
  if (options.activations && options.shadows) {
    // Neither is a model that cannot be differentiated.
    (options.emulate ? MeasureOutputShares(float_copy, quantized_copy, matches,
                                           batches, result)
                     : MeasureOutputShares(float_model, quantized_model,
                                           matched, batches, result))
        .IgnoreError();
  }
  std::vector<std::optional<double>> exact;
  passes.done = result.batches;
  if (runs_twice) {
    NS_ASSIGN_OR_RETURN(
        exact, ExactActivations(float_model, quantized_model, matched, batches,
                                options, passes));
  }
  SetAccumulatedCosts(exact, result);
  if (tries_changes) {
    passes.done += runs_twice ? result.batches : 0;
    TryChangesOf(float_model, quantized_model, matched, batches, options,
                 passes, result);
  }
  return result;
}

}  // namespace ns
