// Which values of a prepared model are quantized alike because one qconfig says
// how.
#ifndef PASSES_QUANTIZATION_OBSERVE_ACTIVATION_GROUPS_H_
#define PASSES_QUANTIZATION_OBSERVE_ACTIVATION_GROUPS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "passes/quantization/observe/prepared_model.h"

namespace ns {

// Observers that can only be changed together. Numbers of observers and indices
// of layers are those of PreparedModel.
struct ActivationGroup {
  // Ascending.
  std::vector<int64_t> observers;
  // The layers whose qconfigs say how the values of these observers are
  // quantized, in order of execution: those that compute such a value, and
  // those that take one that no layer computes, such as an input of the model.
  std::vector<int64_t> owners;
  // The layers that take a value of the group, in order of execution, without
  // those that hand its range on, such as pools.
  std::vector<int64_t> readers;
};

// Returns the groups of all observers of `prepared`, in the order of their
// first owners. The qconfig of a layer has the observer of its output and of
// those inputs that no layer computes (see PlanObservers): these are in one
// group. `is_fixed` says whether an observer has a range of its own, whatever a
// qconfig says; such observers are in no group.
std::vector<ActivationGroup> GroupActivations(
    const PreparedModel& prepared,
    const std::function<bool(int64_t observer)>& is_fixed);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_ACTIVATION_GROUPS_H_
