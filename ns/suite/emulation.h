// Runs a quantized model as another processor would compute it.
#ifndef NS_SUITE_EMULATION_H_
#define NS_SUITE_EMULATION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/result/comparison_result.h"
#include "passes/emulation/add_saturation_counters.h"
#include "passes/instrument/variants/insert_variant.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Lowers a model for the emulation, and knows what saturates in it. Where
// nothing is emulated, no method does anything.
class Emulation {
 public:
  // Without `numerics`, changes nothing. Otherwise lowers `quantized`, side b
  // of `matches`, to ns kernels with them, and lets it count what saturates as
  // it runs. Side b of `matches` then refers to the ns ops. The layers of
  // `result`, one for each match, get what their weights alone tell
  // (LayerComparison::saturation); layers that stay as they are go to
  // `not_emulated`. `quantized` must outlive the result.
  //
  // Error: a model without a layer that can be lowered, or an error of
  // LowerMatched.
  static absl::StatusOr<Emulation> Create(
      ModelGraph& quantized, MatchResult& matches,
      std::optional<kernels::SaturationMode> numerics,
      ComparisonResult& result);

  // Returns PairPlan::variants for `matches`, as Create left them: the
  // unsaturated variants of the layers that can saturate. Empty where nothing
  // is emulated.
  std::vector<std::optional<LayerVariant>> UnsaturatedVariants(
      const MatchResult& matches) const;

  // Whether any layer can saturate, matched or not.
  bool CanSaturate() const;

  // Writes what was counted so far to the layers of `result`. Adds a warning,
  // in each call, for every layer that saturates and has no match.
  void TellCounts(ComparisonResult& result) const;

 private:
  struct Layer {
    CountedNode counted;
    // The index of its match; absent where it is not matched.
    std::optional<size_t> match;
  };

  std::vector<Layer> layers_;
};

// Sets what saturation takes from the shadow of `layer`: `without` has the
// figures of its unsaturated variant, absent for a layer that cannot saturate.
// A layer that is not emulated has no such cost.
void SetLocalCost(const std::optional<ErrorFigures>& without,
                  LayerComparison& layer);

// Sets what saturation takes from the activations: `exact_sqnr_db`, one for
// each layer, are those of the model in which nothing saturates; empty when
// that is the same model. Layers without an activation get no cost.
void SetAccumulatedCosts(
    const std::vector<std::optional<double>>& exact_sqnr_db,
    ComparisonResult& result);

}  // namespace ns

#endif  // NS_SUITE_EMULATION_H_
