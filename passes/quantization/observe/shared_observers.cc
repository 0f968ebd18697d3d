#include "passes/quantization/observe/shared_observers.h"

#include "passes/runtime/observers/observer_names.h"

namespace ns {
namespace {

bool IsFixed(const ObserverSpec& spec) {
  return spec.config.kind == ObserverKind::kFixedQParams;
}

}  // namespace

int SharedObservers::Add(const ObserverSpec& spec) {
  specs_.push_back(spec);
  parents_.push_back(static_cast<int>(parents_.size()));
  return parents_.back();
}

bool SharedObservers::Unify(int a, int b) {
  a = Find(a);
  b = Find(b);
  if (a == b) {
    return true;
  }
  const bool is_fixed = IsFixed(specs_[a]) || IsFixed(specs_[b]);
  if (is_fixed && specs_[a] != specs_[b]) {
    return false;
  }
  parents_[b] = a;
  return true;
}

int SharedObservers::Find(int index) const {
  while (parents_[index] != index) {
    index = parents_[index];
  }
  return index;
}

}  // namespace ns
