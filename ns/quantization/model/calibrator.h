// Runs a prepared model on sample batches, so that its observers see values.
#ifndef NS_QUANTIZATION_MODEL_CALIBRATOR_H_
#define NS_QUANTIZATION_MODEL_CALIBRATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/batches/batches.h"

namespace ns {

// Lets the float convolutions of `model` run faster (FuseFloatConvs): what it
// computes differs from what it did by rounding, usually by less than 1e-4 of
// its norm; by more where a batch norm subtracts nearly all of its input.
// Error: a batch norm whose parameters do not fit.
absl::Status MakeConvsFast(ModelGraph& model);

// Calibrates one prepared model (PrepareModel of quantize_model.h) on batches
// that come one by one.
//
// It runs a copy, after MakeConvsFast. The copy shares the observers of the
// model, which is then calibrated, too. Where an observer has PyTorch's results
// to the bit (ObserverConfig::compat), the copy runs as the model would.
class Calibrator {
 public:
  // Error: a model that LibTorch cannot copy.
  static absl::StatusOr<Calibrator> Create(const ModelGraph& prepared);

  // Runs the model on `batch`; messages call it number `index`. Error: a batch
  // that the model does not take, or fails on; observers may have seen a part
  // of it.
  absl::Status Run(const Batch& batch, int64_t index);

  // Runs it on batches of `reader`, see RunBatches (ns/batches/run_batches.h).
  absl::Status Run(const BatchReader& reader, absl::Span<const int64_t> numbers,
                   const std::function<void(size_t done)>& after_batch);

 private:
  explicit Calibrator(ModelGraph copy) : copy_(std::move(copy)) {}

  ModelGraph copy_;
};

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_CALIBRATOR_H_
