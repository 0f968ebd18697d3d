#include "passes/quantization/observe/activation_groups.h"

#include <cstddef>
#include <map>
#include <set>

#include "absl/algorithm/container.h"

namespace ns {
namespace {

// A union-find structure over the numbers of observers.
class Union {
 public:
  int64_t Find(int64_t number) {
    const auto found = parents_.try_emplace(number, number).first;
    return found->second == number ? number : Find(found->second);
  }
  void Join(int64_t a, int64_t b) { parents_[Find(b)] = Find(a); }

 private:
  std::map<int64_t, int64_t> parents_;
};

}  // namespace

std::vector<ActivationGroup> GroupActivations(
    const PreparedModel& prepared,
    const std::function<bool(int64_t observer)>& is_fixed) {
  std::set<int64_t> given;
  for (const PreparedLayer& layer : prepared.layers) {
    given.insert(layer.output);
  }
  // The observers whose activations the qconfig of each layer says.
  std::vector<std::vector<int64_t>> owned;
  Union joined;
  for (const PreparedLayer& layer : prepared.layers) {
    std::vector<int64_t>& observers = owned.emplace_back();
    if (!is_fixed(layer.output)) {
      observers.push_back(layer.output);
    }
    for (const int64_t input : layer.inputs) {
      if (given.count(input) == 0 && !is_fixed(input)) {
        observers.push_back(input);
      }
    }
    for (const int64_t observer : observers) {
      joined.Join(observers.front(), observer);
    }
  }
  std::vector<ActivationGroup> groups;
  std::map<int64_t, size_t> indices;
  const auto group_of = [&](int64_t observer) {
    return indices.find(joined.Find(observer));
  };
  for (size_t i = 0; i < owned.size(); ++i) {
    for (const int64_t observer : owned[i]) {
      const auto [entry, is_new] =
          indices.try_emplace(joined.Find(observer), groups.size());
      if (is_new) {
        groups.emplace_back();
      }
      ActivationGroup& group = groups[entry->second];
      if (!absl::c_linear_search(group.observers, observer)) {
        group.observers.push_back(observer);
      }
      if (group.owners.empty() ||
          group.owners.back() != static_cast<int64_t>(i)) {
        group.owners.push_back(static_cast<int64_t>(i));
      }
    }
  }
  for (size_t i = 0; i < prepared.layers.size(); ++i) {
    const PreparedLayer& layer = prepared.layers[i];
    for (const int64_t input : layer.inputs) {
      const auto found = group_of(input);
      if (input == layer.output || found == indices.end()) {
        continue;
      }
      std::vector<int64_t>& readers = groups[found->second].readers;
      if (readers.empty() || readers.back() != static_cast<int64_t>(i)) {
        readers.push_back(static_cast<int64_t>(i));
      }
    }
  }
  for (ActivationGroup& group : groups) {
    absl::c_sort(group.observers);
  }
  return groups;
}

}  // namespace ns
