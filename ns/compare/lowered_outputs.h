// Compares the outputs of a quantized model before and after it was lowered.
#ifndef NS_COMPARE_LOWERED_OUTPUTS_H_
#define NS_COMPARE_LOWERED_OUTPUTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"

namespace ns {

// The SQNR in dB of a tensor that a model returns, against that of the float
// model, over all batches.
struct LoweredOutput {
  // As ComparisonResult::model_outputs.
  std::string name;
  double quantized_db = 0;
  double lowered_db = 0;
};

// Runs the three models on all batches and returns the outputs of floats that
// all of them have. `lowered` was made of `quantized`. Models may keep state:
// the comparison starts with that of copies, and changes none. Errors: a model
// that fails on a batch, or a batch that cannot be read; no batches; no such
// output.
absl::StatusOr<std::vector<LoweredOutput>> CompareLoweredOutputs(
    const ModelGraph& float_model, const ModelGraph& quantized,
    const ModelGraph& lowered, const BatchReader& batches);

// Returns a line for each output: "  output  35.8 -> 36.4 dB (+0.6)".
std::string LoweredOutputsText(const std::vector<LoweredOutput>& outputs);

}  // namespace ns

#endif  // NS_COMPARE_LOWERED_OUTPUTS_H_
