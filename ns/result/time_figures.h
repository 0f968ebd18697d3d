// Holds how long two models and their layers take, as plain data.
#ifndef NS_RESULT_TIME_FIGURES_H_
#define NS_RESULT_TIME_FIGURES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ns {

// The time that both sides of a layer take for one batch, in microseconds: the
// sum over the nodes of the subgraph, and over the trips of a loop. A node that
// several layers share counts in the first of them.
struct LayerTime {
  double float_us = 0;
  double quantized_us = 0;
  // quantized_us as a share of ModelTimes::quantized_us, 0 to 1.
  double share = 0;
};

// The time of all nodes of an op that belong to no layer, such as casts.
struct OpTime {
  std::string model;  // "float" or "quantized"
  std::string op;     // "aten::dequantize"
  int64_t nodes = 0;
  double us = 0;
};

// The times of whole models.
struct ModelTimes {
  // The samples of the batch that ran (SamplesOf in ns/batches/batch.h).
  int64_t samples = 0;
  // The threads within one op.
  int64_t threads = 0;
  // How often each model ran. Each time is the least of these runs.
  int64_t runs = 0;
  // The sums over all nodes of each model.
  double float_us = 0;
  double quantized_us = 0;
  // Sorted by model, float first, and time, descending.
  std::vector<OpTime> between_layers;
};

}  // namespace ns

#endif  // NS_RESULT_TIME_FIGURES_H_
