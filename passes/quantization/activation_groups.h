// Which values of a prepared model are quantized alike because one qconfig says
// how.
#ifndef PASSES_QUANTIZATION_ACTIVATION_GROUPS_H_
#define PASSES_QUANTIZATION_ACTIVATION_GROUPS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "passes/quantization/prepared_model.h"

namespace ns {

// Observers that can only be changed together. Numbers of observers and indices
// of layers are those of PreparedModel.
struct ActivationGroup {
  // Ascending.
  std::vector<int64_t> observers;
  // The layers whose qconfigs have the activations of these observers, in order
  // of execution: those that give a value of the group, and those that take one
  // that no layer gives, as of the inputs of the model.
  std::vector<int64_t> owners;
  // The layers that take a value of the group, in order of execution, but for
  // those that hand its range on, such as pools.
  std::vector<int64_t> readers;
};

// Returns the groups of all observers of `prepared`, by their first owner. A
// layer gives its output the observer of its qconfig, and so it does to inputs
// that no layer gives (see PlanObservers): these are a group. `is_fixed` says
// whether an observer has a range of its own, whatever a qconfig says; such
// observers are in no group.
std::vector<ActivationGroup> GroupActivations(
    const PreparedModel& prepared,
    const std::function<bool(int64_t observer)>& is_fixed);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_ACTIVATION_GROUPS_H_
