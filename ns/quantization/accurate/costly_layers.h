// Finds the layers that cost the outputs of a quantized model much, and gain it
// little time.
#ifndef NS_QUANTIZATION_ACCURATE_COSTLY_LAYERS_H_
#define NS_QUANTIZATION_ACCURATE_COSTLY_LAYERS_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

// Layers of a static model by FloatSubgraph::name, and why they are here: "in
// int8, it would make 32 % of the outputs' error" (LayerComparison
// ::output_share).
struct CostlyLayers {
  // To compute in float: no convolutions, linear or recurrent layers. Also what
  // reads the values of the others here, as it would round them all the same,
  // and so on up to the next norm, softmax or layer with a weight.
  std::map<std::string, std::string> to_float;
  // Linear layers to quantize dynamically: they run in int8 as before, but
  // their outputs are not rounded.
  std::map<std::string, std::string> to_dynamic;

  bool empty() const { return to_float.empty() && to_dynamic.empty(); }
};

struct CostlyLayersOptions {
  // Whether layers count whose values go on to int8 ops, too. Sums, norms and
  // the like then cost a dequantize and a quantize more than before. Otherwise,
  // only layers count whose values are dequantized anyhow: what is computed
  // then takes about as long as before.
  bool between_int8 = false;
  // Layers with less than this are not looked at.
  double least_share = 0.02;
  // There are none where their shares add up to less.
  double least_sum = 0.2;
};

// Looks for them among the layers of `report`, which is that of `quantized`.
// `float_model` is what it was made of. None where shares do not tell
// (SharesHold in ns/findings/output_shares.h). Error: models or batches that do
// not fit, a batch norm that cannot be folded.
absl::StatusOr<CostlyLayers> FindCostlyLayers(
    const ModelGraph& float_model, const ModelGraph& quantized,
    const QuantizationReport& report, absl::Span<const Batch> batches,
    const CostlyLayersOptions& options = {});

// Adds rules for `layers` to `mapping`, by which `float_model` was quantized:
// none for those to compute in float, and `dynamic` for the others. Error: a
// batch norm that cannot be folded.
absl::Status AddRulesFor(const CostlyLayers& layers,
                         const ModelGraph& float_model, const QConfig& dynamic,
                         QConfigMapping& mapping);

}  // namespace ns

#endif  // NS_QUANTIZATION_ACCURATE_COSTLY_LAYERS_H_
