// Measures what each layer of a quantized model loses by itself.
#ifndef NS_QUANTIZATION_MODEL_LAYER_ERRORS_H_
#define NS_QUANTIZATION_MODEL_LAYER_ERRORS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/result/comparison_result.h"

namespace ns {

enum class LayerErrorKind {
  // The output of the quantized layer against that of the float layer on the
  // same inputs, those of the quantized model (the shadow of `ns compare`).
  kByItself,
  // The output in the quantized model against that in the float model.
  kInModel,
};

// Returns the SQNR in dB over all batches of the first output of each layer of
// `quantized` that matches a layer of `float_model`, by FloatSubgraph::name in
// `float_model`. It is +inf for an exact output. `quantized` runs on ns kernels
// (LowerToFbgemm), in a copy; the models are not changed. Layers that cannot be
// compared, or whose SQNR is nan, are left out. Error: models or batches that
// do not fit.
absl::StatusOr<std::map<std::string, double>> LayerErrors(
    const ModelGraph& float_model, const ModelGraph& quantized,
    absl::Span<const Batch> batches,
    LayerErrorKind kind = LayerErrorKind::kByItself);

// Returns the layers of `quantized` in whose range many channels are lost
// (LosesChannels in ns/findings/lost_channels.h), by FloatSubgraph::name in
// `float_model`, and how their channels fare. The rest is as of LayerErrors.
absl::StatusOr<std::map<std::string, ChannelSummary>> LostLayers(
    const ModelGraph& float_model, const ModelGraph& quantized,
    absl::Span<const Batch> batches);

// Returns what part of the error of the outputs each layer of `quantized` makes
// (LayerComparison::output_share), by FloatSubgraph::name in `float_model`.
// `quantized` runs on LibTorch's kernels. Empty where shares do not tell
// (SharesHold in ns/findings/output_shares.h). The rest is as of LayerErrors.
absl::StatusOr<std::map<std::string, double>> OutputShares(
    const ModelGraph& float_model, const ModelGraph& quantized,
    absl::Span<const Batch> batches);

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_LAYER_ERRORS_H_
