// What PairModels (pair_models.h) makes of a float model, A, and a quantized
// one, B: one graph that runs both, and the comparers in it.
#ifndef PASSES_INSTRUMENT_PAIR_PAIRED_MODELS_H_
#define PASSES_INSTRUMENT_PAIR_PAIRED_MODELS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "ir/model/model_graph.h"
#include "passes/instrument/add_shadow_loggers.h"
#include "passes/runtime/loggers/pair_comparer.h"
#include "passes/runtime/loggers/shadow_guard.h"

namespace ns {

// The comparers at another output of a match than the first, as those of
// PairComparers.
struct OtherOutputComparers {
  // As in MatchedOutput (passes/matching/matches/matched_outputs.h).
  size_t index = 0;
  std::string name;
  // Whether it is an element of a list, which a run may find to be shorter.
  bool is_element = false;
  PairComparerPtr activation;
  PairComparerPtr shadow;
  PairComparerPtr inherited;
};

// The comparers at one match, each of a value x with a value y; null for what
// is not compared.
struct PairComparers {
  // x: what A makes of its own values; y: what B makes of its own.
  PairComparerPtr activation;
  // x: what A's subgraph makes of B's inputs; y as above.
  PairComparerPtr shadow;
  // x: what A makes of its own values; y: what A's subgraph makes of B's
  // inputs. This is the error that came in with the inputs of the subgraph.
  PairComparerPtr inherited;
  // x: what a reference kernel makes of the inputs of B's base op; y: what the
  // op makes of them.
  PairComparerPtr kernel;
  // x: as of `shadow`; y: what A's subgraph makes of B's inputs with B's
  // weights (QuantizedWeights). Null for a layer without a weight of its own.
  PairComparerPtr weight_only;
  // x: as of `shadow`; y: x with the activations quantized as B quantizes them.
  // That is the output, with the scale and zero point of B's output; for a
  // dynamic op it is the input, with the scale that the op chooses. Null where
  // B's op is a float one.
  PairComparerPtr activation_only;
  // x: as of `shadow`; y: what the one of PairPlan::variants makes.
  PairComparerPtr variant;
  // Knows whether the shadow failed in a run. If it did, do not use what the
  // comparers above that see the shadow have gathered. Null without a shadow,
  // and at quantize points.
  ShadowGuardPtr guard;
  // The comparers above are at the first output of the match, these at its
  // other outputs, where integers and truth values, such as indices, are not
  // compared.
  std::vector<OtherOutputComparers> others;

  // Returns all comparers that are not null, those of `others` last.
  std::vector<PairComparerPtr> All() const;
};

struct PairedModels {
  // It takes the arguments of A, then those of B in `own_inputs_of_b`, and
  // returns a tuple of what A and what B return. Where activations are not
  // compared (PairPlan::activations), A does not run, and None stands for what
  // it returns.
  ModelGraph model;
  // The positions, without the module, of the arguments that B does not share
  // with A, since their types differ or one of the models overwrites them.
  std::vector<size_t> own_inputs_of_b;
  // One for each match.
  std::vector<PairComparers> comparers;
  // The matches without a shadow, and why, in the order of the matches.
  std::vector<NotShadowedMatch> not_shadowed;
  // The matches whose quantized op has no reference kernel, likewise.
  std::vector<NotShadowedMatch> no_reference;
};

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_PAIRED_MODELS_H_
