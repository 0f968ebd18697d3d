// Finds which inputs two models that run as one graph can share.
#ifndef PASSES_INSTRUMENT_PAIR_SHARED_INPUTS_H_
#define PASSES_INSTRUMENT_PAIR_SHARED_INPUTS_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"

namespace ns {

// Returns the positions of those inputs of `b` that must be given to it apart
// from those of `a`, in rising order. Position 0 is the first input after the
// module itself. An input is shared, and not in the list, where `a` has one at
// the same position with the same name, type and default; the type is Tensor,
// int, float, bool or str; and, where it is a tensor, neither model writes in
// place to any input: a caller may give one tensor for several. Error: a graph
// that LibTorch cannot analyse.
absl::StatusOr<std::vector<size_t>> OwnInputsOfB(const ModelGraph& a,
                                                 const ModelGraph& b);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_SHARED_INPUTS_H_
