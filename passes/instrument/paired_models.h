// The graph of two models that compares them, and its comparers.
#ifndef PASSES_INSTRUMENT_PAIRED_MODELS_H_
#define PASSES_INSTRUMENT_PAIRED_MODELS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "ir/model_graph.h"
#include "passes/instrument/add_shadow_loggers.h"
#include "passes/runtime/loggers/pair_comparer.h"
#include "passes/runtime/loggers/shadow_guard.h"

namespace ns {

// The comparers at another output of a match than the first, as those of
// PairComparers.
struct OtherOutputComparers {
  // As in MatchedOutput (passes/matching/matched_outputs.h).
  size_t index = 0;
  std::string name;
  PairComparerPtr activation;
  PairComparerPtr shadow;
  PairComparerPtr inherited;
};

// The comparers at one match; null for what is not compared.
struct PairComparers {
  // x: what A makes of its own values; y: what B makes of its own.
  PairComparerPtr activation;
  // x: what A's subgraph makes of B's inputs; y as above.
  PairComparerPtr shadow;
  // x: what A makes of its own values; y: what its subgraph makes of B's
  // inputs. What came in with the inputs of the subgraph.
  PairComparerPtr inherited;
  // x: what a reference kernel makes of the inputs of B's base op; y: what the
  // op makes of them.
  PairComparerPtr kernel;
  // x: as of the shadow; y: what A's subgraph makes of B's inputs with B's
  // weights (QuantizedWeights). Null for a layer without a weight of its own.
  PairComparerPtr weight_only;
  // x: as of the shadow; y: the same with its activations quantized as B does
  // it: the output with the scale and zero point of B's; of a dynamic op, the
  // input, with the scale that the op chooses for it. Null where B's op is a
  // float one.
  PairComparerPtr activation_only;
  // x: as of the shadow; y: what PairPlan::variant made.
  PairComparerPtr variant;
  // Knows whether the shadow failed in a run: what was compared with it before
  // is then of no worth. Null without a shadow, and at quantize points.
  ShadowGuardPtr guard;
  // Those above are at the first output of the match. Integers and truth
  // values, such as indices, are not compared at the others.
  std::vector<OtherOutputComparers> others;

  // Those that there are.
  std::vector<PairComparerPtr> All() const;
};

struct PairedModels {
  // Returns the tuple of what A and what B return; without activations A does
  // not run, and None stands for what it returns. Its arguments are those of A,
  // then `own_inputs_of_b`.
  ModelGraph model;
  // The arguments that B does not share with A, since their types differ or one
  // of the models overwrites them. By position, the module not counted.
  std::vector<size_t> own_inputs_of_b;
  // One for each match.
  std::vector<PairComparers> comparers;
  // In the order of the matches.
  std::vector<NotShadowedMatch> not_shadowed;
  // Quantized ops without a reference kernel, likewise.
  std::vector<NotShadowedMatch> no_reference;
};

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIRED_MODELS_H_
