// Changes a qconfig where no kernel takes it as it is.
#ifndef PASSES_QUANTIZATION_LAYERS_FIT_QCONFIG_H_
#define PASSES_QUANTIZATION_LAYERS_FIT_QCONFIG_H_

#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

// Gives the weight of a transposed convolution one scale where `qconfig` has
// one for each channel: LibTorch's kernels take no other (PyTorch 1.13 stops
// there). Returns whether `qconfig` changed.
bool FitWeight(const FloatSubgraph& subgraph, QConfig& qconfig);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_FIT_QCONFIG_H_
