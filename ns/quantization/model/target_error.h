// Measures what a quantized model will lose where it is served.
#ifndef NS_QUANTIZATION_MODEL_TARGET_ERROR_H_
#define NS_QUANTIZATION_MODEL_TARGET_ERROR_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/batches/output_tensors.h"
#include "ns/quantization/model/quantize_options.h"

namespace ns {

// Compares what quantized models return with what one float model does, on the
// same batches.
//
//   TargetError error(float_model, batches);
//   NS_ASSIGN_OR_RETURN(const double before, error.WorstDb(plain, options));
//   NS_ASSIGN_OR_RETURN(const double after, error.WorstDb(better, options));
//
// The first WorstDb runs the float model on each batch and keeps its outputs if
// all of them together take at most `most_bytes`. Otherwise each WorstDb runs
// the float model again, a batch at a time.
class TargetError {
 public:
  static constexpr int64_t kMostBytes = int64_t{256} << 20;

  // Both must outlive the object.
  TargetError(const ModelGraph& float_model, const std::vector<Batch>& batches,
              int64_t most_bytes = kMostBytes)
      : float_model_(&float_model),
        batches_(&batches),
        most_bytes_(most_bytes) {}

  // Returns the SQNR in dB of the worst output of `quantized`, which was made
  // of the float model with `options`, as CopyForTarget (copy_for_target.h)
  // computes it, over all batches; infinity for a model without outputs, and
  // minus infinity where an output has nan or another shape. Outputs in which
  // the float model has nan or infinities, and empty ones, do not count.
  // Errors: those of CopyForTarget; a batch that does not fit a model.
  absl::StatusOr<double> WorstDb(const ModelGraph& quantized,
                                 const QuantizeOptions& options);

 private:
  const ModelGraph* float_model_;
  const std::vector<Batch>* batches_;
  int64_t most_bytes_;
  // What the float model returns for each batch; empty where that is not known,
  // or not kept.
  std::vector<NamedTensors> kept_;
};

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_TARGET_ERROR_H_
