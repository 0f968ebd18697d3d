// Reads the parameters of recurrent layers, and packs them.
#ifndef PASSES_QUANTIZATION_DYNAMIC_RECURRENT_CELLS_H_
#define PASSES_QUANTIZATION_DYNAMIC_RECURRENT_CELLS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "passes/quantization/layers/layer_site.h"

namespace ns {

// Returns the constants that hold the packed cells of an aten::lstm or
// aten::gru: one (rnn.CellParamsBase) for each layer and direction, in the
// order of their parameters. A layer without biases gets some of zeros: the
// kernels need them, and the sums are the same. Error: a refusal
// (ir/base/refusal.h) for parameters that are not constant, a projected state,
// a layer in training, and weights that cannot be packed.
absl::StatusOr<std::vector<const SharedConstants::Entry*>> PackRecurrentCells(
    const LayerSite& site);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_DYNAMIC_RECURRENT_CELLS_H_
