// Times one layer: ours, the peers and the limits of the machine, in blocks.
#ifndef TOOLS_BENCH_KERNELS_MEASURE_LAYER_H_
#define TOOLS_BENCH_KERNELS_MEASURE_LAYER_H_

#include "tools/bench/kernels/blocks.h"
#include "tools/bench/kernels/layer.h"
#include "tools/bench/kernels/row.h"

namespace ns::bench {

struct MeasureOptions {
  double seconds = 0.1;
  int rounds = 40;
  // Weights are no longer in the caches when a call starts; the activations
  // are.
  bool cold = false;
};

// In ChosenIsa() and LibTorch's number of threads. The row has no section. Its
// mismatch is of the answers of ours and each peer.
Row MeasureLayer(const Layer& layer, const MeasureOptions& options);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_MEASURE_LAYER_H_
