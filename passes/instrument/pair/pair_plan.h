// Tells what is to be compared where two models match.
#ifndef PASSES_INSTRUMENT_PAIR_PAIR_PLAN_H_
#define PASSES_INSTRUMENT_PAIR_PAIR_PLAN_H_

#include <optional>
#include <vector>

#include "passes/instrument/pair/channels_of.h"
#include "passes/instrument/variants/insert_variant.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_io_types.h"
#include "passes/runtime/loggers/pair_comparer.h"

namespace ns {

// What is compared at each match, by the comparers of PairComparers
// (paired_models.h). A is the float model, B the quantized one.
struct PairPlan {
  // Outputs of matched subgraphs, each model on its own values.
  bool activations = true;
  // Outputs of A's subgraphs, fed with B's values, against those of B's; with
  // activations, also the error that came in with the inputs
  // (PairComparers::inherited).
  bool shadows = false;
  // For shadows: what the user says of ops that the op table does not know.
  OpIoTypes io_types = {};
  // For shadows: whether one that fails as the model runs is left out
  // (guarded_shadow.h). Otherwise the run ends there.
  bool guard_shadows = true;
  // With shadows: what quantizing the weight alone, and the activations alone,
  // makes of the layer (PairComparers::weight_only and activation_only). Takes
  // up to twice as long.
  bool parts = false;
  // Outputs of quantized ops, against those of reference kernels on the same
  // inputs: what the kernels add to what quantization costs. See
  // passes/quantization/reference/reference_kernel.h.
  bool kernels = false;
  // Whether float convolutions run as they stand. Otherwise those with a
  // quantized counterpart run folded and fused where they can, which changes
  // their values by up to 1e-4 of their norm: see fuse_float_convs.h.
  bool exact = false;
  // Whether each channel gets figures of its own.
  bool channels = false;
  // Whether absolute errors are counted by their size (ErrorHistogram), which
  // shows the largest ones. Takes about a tenth more time.
  bool outliers = false;
  // Whether values and errors of a sample of the elements are counted by their
  // size (PairHistograms).
  bool histograms = false;
  // With activations: whether the bits of both models' values are hashed
  // (PairRecord::fingerprints) where activations are compared.
  bool fingerprints = false;
  // With shadows: another version of B's layer, which is compared with the
  // shadow, too (PairComparers::variant). One for each match; those beyond the
  // end have none. Nothing is compared where a variant cannot be inserted.
  std::vector<std::optional<LayerVariant>> variants = {};
};

// What the comparers of `match` gather, as `plan` says.
PairComparerOptions ComparerOptionsFor(const SubgraphMatch& match,
                                       const PairPlan& plan);

// The same for several matches of one model, which share `channels`.
PairComparerOptions ComparerOptionsFor(const SubgraphMatch& match,
                                       const PairPlan& plan,
                                       ChannelFinder& channels);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_PAIR_PLAN_H_
