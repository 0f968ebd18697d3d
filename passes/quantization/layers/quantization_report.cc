#include "passes/quantization/layers/quantization_report.h"

#include <cstddef>
#include <map>

#include "absl/algorithm/container.h"

namespace ns {

void SortByExecution(QuantizationReport& report) {
  std::map<std::string, size_t> places;
  for (const std::string& name : report.order) {
    places.emplace(name, places.size());
  }
  const auto place_of = [&](const std::string& name) {
    const auto found = places.find(name);
    return found == places.end() ? places.size() : found->second;
  };
  const auto by_order = [&](const auto& a, const auto& b) {
    return place_of(a.name) < place_of(b.name);
  };
  absl::c_stable_sort(report.layers, by_order);
  absl::c_stable_sort(report.stayed_float, by_order);
}

}  // namespace ns
