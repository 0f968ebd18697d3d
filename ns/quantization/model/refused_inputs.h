// Finds, by a run, layers whose dynamic or weight-only op would fail.
#ifndef NS_QUANTIZATION_MODEL_REFUSED_INPUTS_H_
#define NS_QUANTIZATION_MODEL_REFUSED_INPUTS_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "passes/quantization/layers/quantization_report.h"

namespace ns {

// Runs a copy of `model`, a float model, on all `batches`, one in memory at a
// time, and returns the layers whose input has, in one of them, a number of
// dimensions that LibTorch's quantized op does not take: linear layers that get
// a vector, and embeddings whose indices have neither one dimension nor two.
// Runs are needed because graphs of scripted models do not tell ranks. A layer
// that does not run on these batches is not among them. A model without linear
// layers and embeddings does not run. After each batch, calls `after_batch`,
// unless it is null, with the number of batches done.
//
// The result, for QuantizeOptions::refused, has the reason for each layer by
// its name in reports. Error: a batch that cannot be read, or that the model
// does not take or fails on.
absl::StatusOr<std::map<std::string, std::string>> RefusedInputs(
    const ModelGraph& model, const BatchReader& batches,
    const std::function<void(size_t done)>& after_batch = nullptr);

// Adds a warning to `report` if `quantized`, made without any batch, has ops
// that could have been refused: it says how many. Ops whose inputs have ranks
// in the graph do not count.
void WarnOfUnseenRanks(const ModelGraph& quantized, QuantizationReport& report);

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_REFUSED_INPUTS_H_
