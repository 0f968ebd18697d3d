#include "passes/matching/places_by_name.h"

#include <algorithm>

#include "ir/module_path.h"

namespace ns {
namespace {

bool HasName(const MatchableNode& node) {
  return !node.path.fqn.empty() && !node.is_control_flow;
}

// Whether `path` is that of the same call as `last`, a path of the same model.
// Nodes of one call mostly share its text.
bool IsSameCall(const ModulePath& path, const ModulePath& last) {
  return path.fqn.data() == last.fqn.data() &&
         path.call_index == last.call_index;
}

}  // namespace

PlacesByName::PlacesByName(const MatchableNodes& a, const MatchableNodes& b) {
  if (a.has_module_names() && b.has_module_names()) {
    AddB(b);
    AddA(a);
  }
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
