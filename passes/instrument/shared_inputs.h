// Finds which inputs two models that run as one graph can share.
#ifndef PASSES_INSTRUMENT_SHARED_INPUTS_H_
#define PASSES_INSTRUMENT_SHARED_INPUTS_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"

namespace ns {

// Returns the places of the inputs that `b` cannot share with `a`, in order, 0
// for the first one behind the module. An input is shared where the one of `a`
// at the same place has the same name, type and default, the type is Tensor,
// int, float, bool or str, and neither model overwrites the tensor or anything
// that may share memory with it. Error: a graph that LibTorch cannot analyse.
absl::StatusOr<std::vector<size_t>> OwnInputsOfB(const ModelGraph& a,
                                                 const ModelGraph& b);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_SHARED_INPUTS_H_
