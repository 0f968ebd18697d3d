// Times one layer in ns kernels and in those of the peers (row.h), beside the
// limits of the machine (roofline.h), as contenders of blocks.h.
#ifndef TOOLS_BENCH_KERNELS_MEASURE_LAYER_H_
#define TOOLS_BENCH_KERNELS_MEASURE_LAYER_H_

#include "tools/bench/kernels/blocks.h"
#include "tools/bench/kernels/layer.h"
#include "tools/bench/kernels/row.h"

namespace ns::bench {

struct MeasureOptions {
  // As in BlockOptions.
  double seconds = 0.1;
  int rounds = 40;
  // Weights are no longer in the caches when a call starts; the activations
  // are.
  bool cold = false;
};

// Measures `layer` with random data, in ChosenIsa() and LibTorch's number of
// threads. Row::section stays empty. Row::mismatch says how the outputs of each
// peer differ from ours, and why a peer of LibTorch cannot run the layer.
Row MeasureLayer(const Layer& layer, const MeasureOptions& options);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_MEASURE_LAYER_H_
