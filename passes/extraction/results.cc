#include "passes/extraction/results.h"

#include <string>

namespace ns {

ResultsByType& Results::operator[](const std::string& name) {
  const auto [it, added] = index_.emplace(name, layers_.size());
  if (added) {
    layers_.emplace_back(name, ResultsByType());
  }
  return layers_[it->second].second;
}

const ResultsByType* Results::Find(const std::string& name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : &layers_[it->second].second;
}

}  // namespace ns
