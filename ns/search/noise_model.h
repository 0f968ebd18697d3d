// Predicts the error of a mixed model's outputs from runs of the float model.
#ifndef NS_SEARCH_NOISE_MODEL_H_
#define NS_SEARCH_NOISE_MODEL_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/batches/output_tensors.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/noise_graph.h"
#include "ns/search/noise_scale.h"
#include "ns/search/search_space.h"
#include "passes/quantization/observe/observer_plan.h"

namespace ns {

// An event (noise_events.h) is that one layer runs in int8, or that one value
// is rounded for one layer. The error of an output is taken for the sum of what
// each event of a recipe adds to it. Each batch runs twice, with gradients of a
// few random sums of each output:
//
//  * with all values rounded as when all layers run in int8. This run gives the
//    errors of layers whose inputs come from layers in int8: rounding hides an
//    error of the input that is small beside a step, so that this error and the
//    one that the layer has on float values must not be added up;
//  * in float. This run gives the errors of all other events.
//
// An event moves a sum by its error times the mean of both gradients. That is
// exact for ops of second order, such as squares and products. Both runs
// measure all events of all candidates; the noise of any recipe is then a sum
// over a table (passes/runtime/noise).
//
// A prediction counts errors of events that add up, but not those that cancel:
// it is never below the sum of the powers of the single events. For the errors
// of an event change with the layers in front of it, and a search among
// thousands of recipes finds those in which errors cancel by chance. Without
// this rule, the recipes that it found for a small transformer had up to 3 dB
// more noise than was predicted.
//
// Predictions are scaled such that the one for the model with all layers in
// int8 is the error that the first run shows, or more where errors cancel
// there. Where that error is as large as the output, it says little about
// recipes with less noise (noise_scale.h).
class NoiseModel {
 public:
  // `space` and `values`, which must be calibrated, must outlive the object.
  static absl::StatusOr<NoiseModel> Create(const SearchSpace& space,
                                           const CalibratedValues& values);

  // How many sums of each output are differentiated, 4 if it is not called. It
  // must not be called after Run.
  void SetProjections(int projections) { projections_ = projections; }

  // Adds the noise of `batch`, the one at `index`, to the table. Call it once
  // for each batch, before NoiseOf. Both runs begin with the state that the run
  // in float of the batch before has left in the model. Memory holds the values
  // of one batch about four times. Returns what the float model returns.
  // Gradients do not go back through what a model keeps from run to run.
  // Errors: a batch that does not fit, or whose outputs are not finite; an op
  // that cannot be differentiated.
  absl::StatusOr<NamedTensors> Run(const Batch& batch, int64_t index);

  // The predicted power of the noise in the outputs of a model that is
  // quantized by `plan`, over that of the outputs; of several outputs, the
  // largest. The SQNR is -10 log10 of it. 0 where nothing is quantized; above
  // NoiseRows::kUnbounded where a value is rounded that an output has no finite
  // derivative by.
  double NoiseOf(const ObserverPlan& plan) const;

  // The same for what one layer of `plan` does by itself: its own error, and
  // that of its inputs where they are rounded for it alone.
  double NoiseOfLayer(const ObserverPlan& plan, size_t layer) const;

  // The layers of `plan` whose bias is to be corrected, by name.
  std::set<std::string> CorrectedLayers(const ObserverPlan& plan) const {
    return graph_.events().CorrectedLayers(plan);
  }

 private:
  NoiseModel(NoiseGraph graph, std::vector<int> all_events)
      : graph_(std::move(graph)), all_events_(std::move(all_events)) {}

  absl::StatusOr<NamedTensors> Forward(const Batch& batch, NoiseRun run);
  absl::Status Differentiate(const at::Tensor& output,
                             const at::Tensor& projection);
  absl::Status AddOutput(size_t number, const std::string& place,
                         const at::Tensor& clean, const at::Tensor& noisy,
                         at::Generator& generator);
  // Recomputes what follows from the rows and the powers alone.
  void Summarize();
  // Powers of the noise that events make in an output, before scaling: the sum
  // of those that single ones make, and that of all of them at once.
  struct EventPowers {
    double alone = 0;
    double together = 0;
  };
  EventPowers PowersOf(size_t output, const std::vector<int>& events) const;
  double RelativePower(const std::vector<int>& events) const;

  // Of an output, over all batches so far.
  struct OutputPower {
    double clean = 0;
    // Of the difference of both runs.
    double difference = 0;
    // Of each event alone.
    std::vector<double> own;
    // What predictions are scaled by.
    NoiseScale scale;
  };

  NoiseGraph graph_;
  // Of the model in which all layers run in int8.
  std::vector<int> all_events_;
  int projections_ = 4;
  std::vector<OutputPower> powers_;
};

}  // namespace ns

#endif  // NS_SEARCH_NOISE_MODEL_H_
