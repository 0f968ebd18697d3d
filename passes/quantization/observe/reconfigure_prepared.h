// Changes how a calibrated model will be quantized, without calibrating again.
#ifndef PASSES_QUANTIZATION_OBSERVE_RECONFIGURE_PREPARED_H_
#define PASSES_QUANTIZATION_OBSERVE_RECONFIGURE_PREPARED_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// How one layer will be quantized: what the report says of it, and its weight.
// For its activations, see Reconfiguration::observers.
struct LayerReconfiguration {
  // What the report will say of the layer: QConfigName of the new qconfig, and
  // the rule that chose it. Both are only text: they change nothing else.
  std::string qconfig;
  std::string rule;
  // The configuration of the observer of its weight, which always replaces the
  // present one. To keep that, set this to ParseObserverConfig of
  // PreparedLayer::weight (prepared_model.h). Ignored for layers without a
  // weight. It is not checked here.
  ObserverConfig weight;
};

struct Reconfiguration {
  // New configurations of observers of activations, by their number: 3 for the
  // attribute "ns_observer_3". PreparedLayer::inputs and output have these
  // numbers.
  std::map<int64_t, ObserverConfig> observers;
  // By index in PreparedModel::layers (prepared_model.h).
  std::map<int64_t, LayerReconfiguration> layers;
};

// Returns a copy of `prepared` with the configurations of `changes`. An
// observer that gets another configuration is a new one, which has seen what
// the old one saw (Reconfigured of runtime/observers/reconfigured_observer.h).
// All other observers are shared by both models: calibrating one of the models
// further changes both.
//
// Errors: a model that is not prepared; an observer or a layer that it does not
// have; a configuration under which the observer would have kept other things
// than it did (Reconfigured); an observer inside of a FakeQuantize.
absl::StatusOr<ModelGraph> ReconfigurePrepared(const ModelGraph& prepared,
                                               const Reconfiguration& changes);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_RECONFIGURE_PREPARED_H_
