// Finds, by a run, layers whose dynamic or weight-only op would fail.
#ifndef NS_QUANTIZATION_REFUSED_INPUTS_H_
#define NS_QUANTIZATION_REFUSED_INPUTS_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch.h"

namespace ns {

// Runs `model`, a float model, on a batch, and returns the layers that are fed
// tensors of other numbers of dimensions than LibTorch's quantized op takes,
// each by its name in reports with the reason: linear layers that get a vector,
// embeddings whose indices have neither one dimension nor two. Graphs of
// scripted models do not tell ranks; for QuantizeOptions::refused. A layer that
// does not run on this batch is not among them. Error: a batch that the model
// does not take or fails on.
absl::StatusOr<std::map<std::string, std::string>> RefusedInputs(
    const ModelGraph& model, const Batch& batch);

}  // namespace ns

#endif  // NS_QUANTIZATION_REFUSED_INPUTS_H_
