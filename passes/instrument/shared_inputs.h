// Finds which inputs two models that run as one graph can share.
#ifndef PASSES_INSTRUMENT_SHARED_INPUTS_H_
#define PASSES_INSTRUMENT_SHARED_INPUTS_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"

namespace ns {

// The inputs of `b`, by position, the module not counted, that it cannot share
// with `a`: what stands there in A has another name, type or default, or holds
// tensors inside a list or dict; or one of the models overwrites it, or another
// input that may be the same tensor. Error: a graph that LibTorch cannot
// analyse.
absl::StatusOr<std::vector<size_t>> OwnInputsOfB(const ModelGraph& a,
                                                 const ModelGraph& b);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_SHARED_INPUTS_H_
