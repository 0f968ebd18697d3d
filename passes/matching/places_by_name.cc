#include "passes/matching/places_by_name.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "ir/graph/module_path.h"

namespace ns {
namespace {

bool HasName(const MatchableNode& node) {
  return !node.path.fqn.empty() && !node.is_control_flow;
}

// Whether `path` is that of the same call as `last`, a path of the same model.
// Nodes of one call mostly share the path's text.
bool IsSameCall(const ModulePath& path, const ModulePath& last) {
  return path.fqn.data() == last.fqn.data() &&
         path.call_index == last.call_index;
}

}  // namespace

PlacesByName::PlacesByName(const MatchableNodes& a, const MatchableNodes& b) {
  if (a.has_module_names() && b.has_module_names()) {
    AddB(b);
    AddA(a);
    DropUncertainCalls(a, b);
  }
}

// Where one model has fused an op into another layer, its module has one call
// fewer there, and later calls may have other indices.
void PlacesByName::DropUncertainCalls(const MatchableNodes& a,
                                      const MatchableNodes& b) {
  absl::flat_hash_set<absl::string_view> called_again;
  for (const MatchableNodes* nodes : {&a, &b}) {
    for (int i = 0; i < nodes->size(); ++i) {
      if (HasName((*nodes)[i]) && (*nodes)[i].path.call_index > 0) {
        called_again.insert((*nodes)[i].path.fqn);
      }
    }
  }
  if (called_again.empty()) {
    return;
  }
  // Maps a module and a family to the calls that have such ops, in order.
  using Family = std::pair<absl::string_view, absl::string_view>;
  using CallsByFamily = absl::flat_hash_map<Family, std::vector<int>>;
  const auto calls_of = [&](const MatchableNodes& nodes) {
    CallsByFamily calls;
    for (int i = 0; i < nodes.size(); ++i) {
      const ModulePath& path = nodes[i].path;
      if (HasName(nodes[i]) && called_again.contains(path.fqn)) {
        calls[{path.fqn, nodes[i].family}].push_back(path.call_index);
      }
    }
    for (auto& [family, indices] : calls) {
      absl::c_sort(indices);
    }
    return calls;
  };
  const CallsByFamily calls_a = calls_of(a);
  const CallsByFamily calls_b = calls_of(b);
  places_.erase(
      std::remove_if(
          places_.begin(), places_.end(),
          [&](const Place& place) {
            const Family family(b[place.of_b.front()].path.fqn, place.family);
            const auto of_a = calls_a.find(family);
            const auto of_b = calls_b.find(family);
            return of_b != calls_b.end() &&
                   (of_a == calls_a.end() || of_a->second != of_b->second);
          }),
      places_.end());
}

void PlacesByName::AddB(const MatchableNodes& b) {
  Places* call = nullptr;
  ModulePath last;
  for (int i = 0; i < b.size(); ++i) {
    const MatchableNode& node = b[i];
    if (!HasName(node)) {
      continue;
    }
    if (!IsSameCall(node.path, last)) {
      last = node.path;
      call = &calls_[{last.fqn, last.call_index}];
    }
    Place* place = Find(*call, node.family);
    if (place == nullptr) {
      call->push_back(static_cast<int>(places_.size()));
      place = &places_.emplace_back();
      place->family = node.family;
    }
    place->of_b.push_back(i);
  }
}

void PlacesByName::AddA(const MatchableNodes& a) {
  const Places* call = nullptr;
  ModulePath last;
  for (int i = 0; i < a.size(); ++i) {
    const MatchableNode& node = a[i];
    if (!HasName(node)) {
      continue;
    }
    if (!IsSameCall(node.path, last)) {
      last = node.path;
      const auto it = calls_.find({last.fqn, last.call_index});
      call = it == calls_.end() ? nullptr : &it->second;
    }
    Place* place = call == nullptr ? nullptr : Find(*call, node.family);
    if (place != nullptr) {
      place->of_a.push_back(i);
    }
  }
}

PlacesByName::Place* PlacesByName::Find(const Places& call,
                                        absl::string_view family) {
  const auto it = std::find_if(call.begin(), call.end(), [&](int place) {
    return places_[place].family == family;
  });
  return it == call.end() ? nullptr : &places_[*it];
}

}  // namespace ns
