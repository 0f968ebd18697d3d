#include "ns/findings/output_view.h"

#include "ns/result/output_label.h"
#include "ns/result/printable.h"

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
  return Printable(
      OutputLabel(layer.name, other == nullptr ? "" : other->name));
}

}  // namespace ns
