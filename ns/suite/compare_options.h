// The options of CompareModels.
#ifndef NS_SUITE_COMPARE_OPTIONS_H_
#define NS_SUITE_COMPARE_OPTIONS_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "ir/base/byte_stream.h"
#include "ns/result/comparison_result.h"
#include "ns/saved/activation_files.h"
#include "ns/shards/shard.h"
#include "ns/suite/user_metrics.h"
#include "passes/extraction/weight_extraction.h"
#include "passes/instrument/pair/pair_plan.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// What is compared (PairPlan), and what else CompareModels does. It compares
// channels always, and has variants of its own.
struct CompareOptions : PairPlan {
  MatchOptions match;
  bool weights = true;
  // With shadows: whether changes are tried in the worst layers
  // (ns/suite/try_changes.h), which runs the quantized model up to twice more,
  // and with activations also what each gains in float
  // (ns/suite/measure_float_gains.h), which runs it up to five times more.
  bool try_changes = false;
  // Whether both models are timed on the first batch (ns/timing/time_layers.h).
  bool times = false;
  // Whether ComparisonResult::graphs is made.
  bool graphs = false;
  // Where ops of the user keep their weights; see
  // ExtractWeightsOptions::op_to_weight_extraction_fn.
  OpToWeightExtractionFn op_to_weight_extraction_fn;
  // Runs the quantized model on ns kernels that compute what fbgemm does on
  // another processor, and tells what saturates in each layer. With activations
  // the models run twice where a layer can saturate, the second time without
  // saturation, for comparison. Absent to run LibTorch's kernels.
  std::optional<kernels::SaturationMode> emulate;
  // How many of the worst output channels to name at each layer. Any number
  // above 0 also lists the SQNR of all channels.
  int64_t worst_channels = 0;
  // Metrics of the user, which are computed wherever activations, shadows and
  // kernels are compared.
  std::vector<UserMetric> user_metrics;
  // Saves the compared values; not owned; null to save nothing.
  ActivationFiles* files = nullptr;
  // Called with the figures so far after each batch but the last, and with how
  // many batches are left; true ends the comparison without those batches.
  std::function<bool(const ComparisonResult& so_far, int64_t batches_left)>
      is_settled;
  // Called with the matched layers, and their weights if they were asked for,
  // before anything runs; its error ends the comparison.
  std::function<absl::Status(const ComparisonResult&)> check_matches;
  // Called after each batch with its number and what the models returned for
  // it; its error ends the comparison. Without activations the float model does
  // not run and None stands for what it returns. A batch that is run twice
  // counts once.
  std::function<absl::Status(int64_t batch, const c10::IValue& of_float,
                             const c10::IValue& of_quantized)>
      see_outputs;
  // Set where several processes share the batches, at most one of the two. With
  // a shard, CompareModels ends when its batches have run, and the result has
  // no figures. With a merge, the states of shards stand for batches that run.
  // Models that keep state from batch to batch, or draw random numbers, are an
  // error: one process would compute something else.
  std::optional<ShardRun> shard;
  std::optional<MergeRun> merge;
  // With either: save what see_outputs has gathered as a part of the state, and
  // add such a part.
  std::function<void(ByteWriter&)> save_seen;
  std::function<void(ByteReader&)> merge_seen;
  // Called after each batch with the number done and the number to do; one that
  // is run twice counts twice.
  std::function<void(int64_t done, int64_t total)> progress;
};

}  // namespace ns

#endif  // NS_SUITE_COMPARE_OPTIONS_H_
