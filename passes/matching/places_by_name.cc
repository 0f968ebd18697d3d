#include "passes/matching/places_by_name.h"

#include <algorithm>

namespace ns {
namespace {

bool HasName(const MatchableNode& node) {
  return !node.path.fqn.empty() && !node.is_control_flow;
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
  absl::string_view fqn;
  for (int i = 0; i < b.size(); ++i) {
    const MatchableNode& node = b[i];
    if (!HasName(node)) {
      continue;
    }
    // Nodes of one call share its interned name.
    if (node.path.fqn.data() != fqn.data()) {
      fqn = node.path.fqn;
      call = &calls_[{fqn, node.path.call_index}];
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
  absl::string_view fqn;  // of `call`, interned as above
  for (int i = 0; i < a.size(); ++i) {
    const MatchableNode& node = a[i];
    if (!HasName(node)) {
      continue;
    }
    if (node.path.fqn.data() != fqn.data()) {
      fqn = node.path.fqn;
      const auto it = calls_.find({fqn, node.path.call_index});
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
