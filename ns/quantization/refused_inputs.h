// Finds, by a run, layers whose dynamic or weight-only op would fail.
#ifndef NS_QUANTIZATION_REFUSED_INPUTS_H_
#define NS_QUANTIZATION_REFUSED_INPUTS_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch.h"

namespace ns {

// Runs a copy of `model`, a float model, on `batch`, and returns the layers
// whose input has a number of dimensions that LibTorch's quantized op does not
// take: linear layers that get a vector, and embeddings whose indices have
// neither one dimension nor two. A run is needed because graphs of scripted
// models do not tell ranks. A layer that does not run on this batch is not
// among them.
//
// The result, for QuantizeOptions::refused, has the reason for each layer by
// its name in reports. Error: a batch that the model does not take or fails on.
absl::StatusOr<std::map<std::string, std::string>> RefusedInputs(
    const ModelGraph& model, const Batch& batch);

}  // namespace ns

#endif  // NS_QUANTIZATION_REFUSED_INPUTS_H_
