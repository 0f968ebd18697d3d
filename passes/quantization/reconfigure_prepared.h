// Changes how a calibrated model will be quantized, without calibrating again.
#ifndef PASSES_QUANTIZATION_RECONFIGURE_PREPARED_H_
#define PASSES_QUANTIZATION_RECONFIGURE_PREPARED_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/quantization/qconfig.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// How a layer is quantized instead. Its activations are those of
// Reconfiguration::observers.
struct LayerReconfiguration {
  // What the report says of the layer: QConfigName of the new qconfig, and the
  // rule that chose it. Neither changes how it is quantized.
  std::string qconfig;
  std::string rule;
  // Of the observer of its weight, which gets it in any case: to keep the one
  // that it has, give ParseObserverConfig of PreparedLayer::weight
  // (prepared_model.h). Not used for layers without a weight.
  ObserverConfig weight;
};

struct Reconfiguration {
  // By the number in the attribute's name, 3 for "ns_observer_3", which
  // PreparedLayer::inputs and output have, too.
  std::map<int64_t, ObserverConfig> observers;
  // By index in PreparedModel::layers (prepared_model.h).
  std::map<int64_t, LayerReconfiguration> layers;
};

// Returns a copy of `prepared` in which the observers and layers of `changes`
// have other configurations, and observers keep what they saw (Reconfigured of
// runtime/observers/reconfigured_observer.h). Both models share all other
// observers: one that is calibrated further changes the other.
//
// Errors: a model that is not prepared; an observer or a layer that it does not
// have; an observer that cannot have the configuration, or that a fake
// quantizer holds.
absl::StatusOr<ModelGraph> ReconfigurePrepared(const ModelGraph& prepared,
                                               const Reconfiguration& changes);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_RECONFIGURE_PREPARED_H_
