#include "passes/quantization/observe/reconfigure_prepared.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/runtime/observers/observer_options.h"
#include "passes/runtime/observers/reconfigured_observer.h"

namespace ns {

absl::StatusOr<ModelGraph> ReconfigurePrepared(const ModelGraph& prepared,
                                               const Reconfiguration& changes) {
  NS_ASSIGN_OR_RETURN(PreparedModel record,
                      AttachedPreparedModel(prepared.module()));
  NS_ASSIGN_OR_RETURN(ModelGraph copy, prepared.Clone());
  for (const auto& [number, config] : changes.observers) {
    const std::string name = ObserverAttribute(number);
    const ObserverPtr observer = AttachedObserver(copy.module(), name);
    if (observer == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("the model has no observer ", name));
    }
    if (copy.module().attr(name).type() != c10::getTypePtr<ObserverPtr>()) {
      return absl::InvalidArgumentError(absl::StrCat(
          name,
          " is trained with, and what it has learned belongs to its "
          "configuration; prepare the model anew"));
    }
    NS_ASSIGN_OR_RETURN(ObserverPtr made,
                        Annotated(name, Reconfigured(*observer, config)));
    copy.module().setattr(name, c10::IValue(std::move(made)));
  }
  for (const auto& [index, change] : changes.layers) {
    if (index < 0 || static_cast<size_t>(index) >= record.layers.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the model has no layer ", index, "; it has ", record.layers.size()));
    }
    PreparedLayer& layer = record.layers[static_cast<size_t>(index)];
    layer.qconfig = change.qconfig;
    layer.rule = change.rule;
    if (!layer.weight.empty()) {
      layer.weight = OptionsOf(change.weight);
    }
  }
  AttachPreparedModel(copy.module(), record);
  return copy;
}

}  // namespace ns
