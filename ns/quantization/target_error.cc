#include "ns/quantization/target_error.h"

#include <algorithm>
#include <limits>

#include "ir/status.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/copy_for_target.h"
#include "ns/quantization/output_error.h"

namespace ns {

absl::StatusOr<double> WorstOutputDb(const ModelGraph& float_model,
                                     const ModelGraph& quantized,
                                     const std::vector<Batch>& batches,
                                     const QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(const ModelGraph copy, CopyForTarget(quantized, options));
  NS_ASSIGN_OR_RETURN(const OutputErrors errors,
                      MeasureOutputErrors(float_model, copy,
                                          BatchReader::FromBatches(batches)));
  double worst = std::numeric_limits<double>::infinity();
  for (const OutputError& output : errors.outputs) {
    worst = std::min(worst, output.sqnr_db);
  }
  return worst;
}

}  // namespace ns
