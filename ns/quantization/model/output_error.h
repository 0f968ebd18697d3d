// Measures how far what a quantized model returns is from what the float model
// returns.
#ifndef NS_QUANTIZATION_MODEL_OUTPUT_ERROR_H_
#define NS_QUANTIZATION_MODEL_OUTPUT_ERROR_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/result/comparison_result.h"

namespace ns {

// The error of one tensor that the models return.
struct OutputError {
  // Where the tensor is: "output", "output[1]", "output['logits']".
  std::string name;
  // 20 log10(|x| / |x - y|) in dB, over all elements of all batches. Equal
  // tensors have +inf, and tensors with nan or infinities nan.
  double sqnr_db = 0;
  // As ModuleOutputComparison::holds_integers.
  bool holds_integers = false;
  // Absent for tensors without channels.
  std::optional<ChannelSummary> channels = {};
};

struct OutputErrors {
  // In the order in which the models return them; also those in tuples, lists
  // and dicts.
  std::vector<OutputError> outputs;
  // One line each: tensors that could not be compared, or that one model alone
  // returns, and NaN or infinities in the batches, masks aside.
  std::vector<std::string> warnings;
};

// Runs copies of both models on all batches and compares what they return, as
// `ns compare --what=outputs` does. Memory holds one batch. Where no tensor is
// returned by both models at the same place, or there is no batch, there is a
// warning and no output. `progress` is called after each batch with the number
// done and the number of all; it may be null. Error: a batch, which the message
// names, that cannot be read or does not fit a model.
absl::StatusOr<OutputErrors> MeasureOutputErrors(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const BatchReader& batches,
    const std::function<void(int64_t done, int64_t total)>& progress = nullptr);

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_OUTPUT_ERROR_H_
