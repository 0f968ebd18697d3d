// A quantized model with the answers of another processor.
#ifndef NS_SUITE_EMULATION_H_
#define NS_SUITE_EMULATION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/suite/comparison_result.h"
#include "passes/emulation/add_saturation_counters.h"
#include "passes/instrument/pair_models.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Knows what saturates in a model that was lowered for it. Where nothing is
// emulated, there is nothing to know, and no method does anything.
class Emulation {
 public:
  // Without `numerics`, changes nothing. Otherwise lowers `quantized`, side b
  // of `matches`, to ns kernels with them, and lets it count what
  // saturates as it runs. The layers of `result`, one for each match, get what
  // their weights alone tell (LayerComparison::saturation); layers that stay as
  // they are go to `not_emulated`.
  //
  // Error: a model without a layer that can be lowered.
  static absl::StatusOr<Emulation> Create(
      ModelGraph& quantized, MatchResult& matches,
      std::optional<kernels::SaturationMode> numerics,
      ComparisonResult& result);

  // What is compared with shadows beside the layers themselves: where a layer
  // can saturate, its unsaturated copy. Null where nothing is emulated.
  decltype(PairPlan::twin) Twin() const;

  // Whether any layer can saturate, matched or not.
  bool CanSaturate() const;

  // Writes what was counted so far to the layers of `result`. Layers that
  // saturate and have no match get a warning.
  void TellCounts(ComparisonResult& result) const;

 private:
  struct Layer {
    CountedNode counted;
    // Of the match; absent where there is none.
    std::optional<size_t> match;
  };

  std::vector<Layer> layers_;
};

// What saturation takes from the shadow of `layer`: `without` has the figures
// of its twin, absent for a layer that cannot saturate. A layer that is not
// emulated has no such cost.
void SetLocalCost(const std::optional<ErrorFigures>& without,
                  LayerComparison& layer);

// What it takes from the activations: `exact_sqnr_db`, one for each layer, are
// those of the model in which nothing saturates; empty when that is the same
// model. Layers without an activation get no cost.
void SetAccumulatedCosts(
    const std::vector<std::optional<double>>& exact_sqnr_db,
    ComparisonResult& result);

}  // namespace ns

#endif  // NS_SUITE_EMULATION_H_
