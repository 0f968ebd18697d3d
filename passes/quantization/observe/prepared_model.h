// What insert-observers leaves in a model for convert-observers, so that the
// model can be saved, calibrated elsewhere, and converted in a third process.
#ifndef PASSES_QUANTIZATION_OBSERVE_PREPARED_MODEL_H_
#define PASSES_QUANTIZATION_OBSERVE_PREPARED_MODEL_H_

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/ops/shape_limits.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_options.h"
#include "passes/runtime/observers/values/input_means.h"

namespace ns {

// The op that marks the weight of a prepared layer
// (passes/runtime/observers/quantized_weight.cc).
inline constexpr char kObservedWeight[] = "ns::observed_weight";

// A subgraph that is to run in int8.
struct PreparedLayer {
  // As in LayerQuantization.
  std::string name;
  std::string op;
  std::string qconfig;
  std::string rule;
  // The numbers (see ObserverAttribute) of the observers of its inputs, in
  // order, and of its output.
  std::vector<int64_t> inputs;
  int64_t output = 0;
  // OptionsOf the observer of the weight; empty for none.
  ObserverOptions weight;
  // What its int8 op takes as its first input.
  ShapeLimits limits;
  // The number of a no-op observer that sees the input of this layer and no
  // other. It tells the input's shapes, and whether the layer runs at all; -1
  // for none.
  int64_t watcher = -1;
};

struct PreparedModel {
  // In order of execution.
  std::vector<PreparedLayer> layers;
  // What is known already: layers that were quantized without calibration, and
  // those that stay in float.
  QuantizationReport report;
};

// The attribute that holds observer `number`: "ns_observer_3".
std::string ObserverAttribute(int64_t number);

// Makes `prepared` part of `module`.
void AttachPreparedModel(torch::jit::Module& module,
                         const PreparedModel& prepared);

// True when insert-observers has run on `module`.
bool IsPrepared(const torch::jit::Module& module);

// Reads what AttachPreparedModel left. Errors: a module that was not prepared,
// or was by another version of this library.
absl::StatusOr<PreparedModel> AttachedPreparedModel(
    const torch::jit::Module& module);

// Returns the observer at attribute `name`, or the one inside the fake
// quantization there. Null when there is none.
ObserverPtr AttachedObserver(const torch::jit::Module& module,
                             const std::string& name);

// Returns the observers that are attributes of `module`, by name; also those
// inside fake quantizations.
std::map<std::string, ObserverPtr> AttachedObservers(
    const torch::jit::Module& module);

// The attribute that holds the means of the input of layer `index` of
// PreparedModel::layers, where they are gathered: "ns_means_3".
std::string MeansAttribute(int64_t index);

// Returns the means that are attributes of `module`, by name.
std::map<std::string, InputMeansPtr> AttachedMeans(
    const torch::jit::Module& module);

// Whether `node` calls a method of an observer, a fake quantization or an
// InputMeans of this library. False for calls of the model's own modules.
bool IsObserverCall(const torch::jit::Node& node);

// Removes all that insert-observers attached to `module`: what
// AttachPreparedModel stored, observers and means. The graph must not use them
// any more.
void DetachPreparedModel(torch::jit::Module& module);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_PREPARED_MODEL_H_
