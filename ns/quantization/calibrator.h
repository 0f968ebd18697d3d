// Runs a prepared model on sample batches, so that its observers see values.
#ifndef NS_QUANTIZATION_CALIBRATOR_H_
#define NS_QUANTIZATION_CALIBRATOR_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batches.h"

namespace ns {

// Calibrates one prepared model (PrepareModel of quantize_model.h) on batches
// that come one by one.
//
// It runs a copy, which has the same observers, and in which float convolutions
// run faster (FuseFloatConvs): what they see differs by up to 1e-4 of its norm
// from what the prepared model computes. Where an observer has PyTorch's
// results to the bit (ObserverConfig::compat), the copy runs as the model
// would.
class Calibrator {
 public:
  // Error: a model that LibTorch cannot copy.
  static absl::StatusOr<Calibrator> Create(const ModelGraph& prepared);

  // Runs the model on `batch`, number `index` for messages. Error: a batch that
  // the model does not take, or fails on; observers may have seen a part of it.
  absl::Status Run(const Batch& batch, int64_t index);

 private:
  explicit Calibrator(ModelGraph copy) : copy_(std::move(copy)) {}

  ModelGraph copy_;
};

}  // namespace ns

#endif  // NS_QUANTIZATION_CALIBRATOR_H_
