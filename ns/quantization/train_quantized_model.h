// Quantization-aware training: quantizes a model and trains its weights so that
// it loses little by the rounding.
#ifndef NS_QUANTIZATION_TRAIN_QUANTIZED_MODEL_H_
#define NS_QUANTIZATION_TRAIN_QUANTIZED_MODEL_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/training/train.h"
#include "ns/training/training_report.h"
#include "passes/quantization/layers/quantization_report.h"

namespace ns {

struct TrainQuantizedOptions {
  // What messages about preparing and converting call the model.
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

// Makes a trained, quantized model of `model`, a float one:
//
// - Prepares it. Batch norms are folded here, so that training does not change
//   their statistics.
// - Calibrates it on the batches to train on, and quantizes it as static
//   quantization does, with the methods of `options.quantize` that help
//   (quantize_accurately.h).
// - Trains the weights and biases in its inlined graph, with all values rounded
//   as they will be in the quantized model (ns/training/trainable_graph.h).
//   Every epoch but the first begins by finding the ranges of the activations
//   anew, on the first 64 batches in its order.
//   The training starts with the bits and ranges that were chosen before.
// - Converts it.
//
// Measures the float model, the one that is only calibrated, and the trained
// one (MeasureHeldOut), and returns the better one of the last two
// (TrainingHelps in ns/training/training_text.h): the result is never worse
// than that of static quantization on the held-out batches.
//
// Error: what CheckTraining, PrepareModel, TrainableGraph::Create, Train,
// MeasureHeldOut and ConvertModel refuse, and a batch that the model does not
// take.
absl::StatusOr<TrainedQuantizedModel> TrainQuantizedModel(
    const ModelGraph& model, const TrainingData& data,
    const TrainQuantizedOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_TRAIN_QUANTIZED_MODEL_H_
