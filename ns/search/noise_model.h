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
#include "ir/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/eager/output_tensors.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/noise_graph.h"
#include "ns/search/search_space.h"
#include "passes/quantization/observer_plan.h"

namespace ns {

// The noise that quantization makes comes from single events (noise_graph.h),
// and the outputs move by the sum of what each event moves them. Each batch
// runs twice, with gradients of a few random sums of the outputs:
//
//  * with all values rounded as when all layers run in int8. What each layer
//    adds to the error of its input is taken there, and not from float values,
//    as rounding hides errors of its input that are small beside a step: both
//    are not added up;
//  * in float.
//
// An event moves a sum by its error times the mean of both gradients, which is
// exact where ops bend as squares and products do. All events are measured at
// once, for all candidates: the power of what a recipe's events do together is
// a sum over a table (passes/runtime/noise).
//
// Errors of events may add up, or cancel. That they add up is foreseen. That
// they cancel is not: the prediction is never below the sum of the powers of
// single events. Errors are other ones with other layers in front of them, and
// among thousands of recipes, a search for little noise finds those in which
// errors cancel by chance: of a small transformer, its recipes had up to 3 dB
// less noise predicted than measured.
//
// Predictions are scaled such that they are true of the model in which all
// layers run in int8, whose error the first run shows.
class NoiseModel {
 public:
  // `space` and `values`, which must be calibrated, must outlive the object.
  static absl::StatusOr<NoiseModel> Create(const SearchSpace& space,
                                           const CalibratedValues& values);

  // How many sums of the outputs are differentiated. All batches of a model
  // have the same number.
  void SetProjections(int projections) { projections_ = projections; }

  // Runs `batch`, the one at `index`. Both runs begin with the state that the
  // last batch's run in float has left in the model. Memory holds the values of one batch
  // about four times. Returns what the float model returns. Errors: a batch
  // that does not fit, or whose outputs are not finite; an op that cannot be
  // differentiated; a model that keeps what it computes from run to run.
  absl::StatusOr<NamedTensors> Run(const Batch& batch, int64_t index);

  // The power of the noise in the outputs of a model that is quantized by
  // `plan`, over that of the outputs; of several outputs, the largest. The SQNR
  // is -10 log10 of it. 0 where nothing is quantized; above
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
    double scale = 1;
  };

  NoiseGraph graph_;
  // Of the model in which all layers run in int8.
  std::vector<int> all_events_;
  int projections_ = 4;
  std::vector<OutputPower> powers_;
};

}  // namespace ns

#endif  // NS_SEARCH_NOISE_MODEL_H_
