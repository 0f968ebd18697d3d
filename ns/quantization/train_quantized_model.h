// Quantizes a model and trains it so that it computes well with rounded values
// (quantization-aware training).
#ifndef NS_QUANTIZATION_TRAIN_QUANTIZED_MODEL_H_
#define NS_QUANTIZATION_TRAIN_QUANTIZED_MODEL_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/quantization/quantize_model.h"
#include "ns/training/train.h"
#include "ns/training/training_report.h"
#include "passes/quantization/quantization_report.h"

namespace ns {

struct TrainQuantizedOptions {
  // What messages call the float model.
  std::string name = "the model";
  // As for static quantization; its `progress` is not used.
  QuantizeOptions quantize;
  // Its `progress` counts all batches that run, also those that calibrate and
  // measure.
  TrainOptions train;
};

struct TrainedQuantizedModel {
  ModelGraph model;
  QuantizationReport report;
  TrainingReport training;
};

// Prepares `model`, a float one, calibrates it on the batches to train on,
// trains the weights and biases of its flat graph with the values rounded as
// they will be (ns/training/trainable_graph.h), and converts it. Batch norms
// are folded before, so that their statistics stay. Each epoch but the first
// begins with new ranges of the activations, from the first 64 batches that it
// has.
//
// Error: what PrepareModel, Train and ConvertModel refuse.
absl::StatusOr<TrainedQuantizedModel> TrainQuantizedModel(
    const ModelGraph& model, const TrainingData& data,
    const TrainQuantizedOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_TRAIN_QUANTIZED_MODEL_H_
