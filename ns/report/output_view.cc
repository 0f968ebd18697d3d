#include "ns/report/output_view.h"

#include "absl/strings/str_cat.h"
#include "ns/suite/printable.h"

namespace ns {

std::vector<OutputView> OutputViews(const LayerComparison& layer) {
  std::vector<OutputView> views = {
      {nullptr, &layer.activation, &layer.shadow, &layer.inherited}};
  for (const OutputComparison& other : layer.outputs) {
    views.push_back(
        {&other, &other.activation, &other.shadow, &other.inherited});
  }
  return views;
}

std::string OutputLabel(const LayerComparison& layer,
                        const OutputComparison* other) {
  return Printable(other == nullptr
                       ? layer.name
                       : absl::StrCat(layer.name, " (", other->name, ")"));
}

}  // namespace ns
