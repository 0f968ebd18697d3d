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

// How a layer is quantized instead.
struct LayerReconfiguration {
  // As in PreparedLayer.
  std::string qconfig;
  std::string rule;
  // Of the observer of its weight; not used for layers without one.
  ObserverConfig weight;
};

struct Reconfiguration {
  // By number of the observer.
  std::map<int64_t, ObserverConfig> observers;
  // By index in PreparedModel::layers.
  std::map<int64_t, LayerReconfiguration> layers;
};

// Returns a copy of `prepared` in which the named observers and weights have
// other configurations, and what was seen is kept (Reconfigured of
// runtime/observers/reconfigured_observer.h); the others are shared with it.
// Errors: a model that is not prepared; an observer or a layer that it does not
// have, or an observer that cannot have the configuration.
absl::StatusOr<ModelGraph> ReconfigurePrepared(const ModelGraph& prepared,
                                               const Reconfiguration& changes);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_RECONFIGURE_PREPARED_H_
