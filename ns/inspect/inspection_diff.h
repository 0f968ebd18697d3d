// Shows what differs between two quantized models, layer by layer, without
// running them.
#ifndef NS_INSPECT_INSPECTION_DIFF_H_
#define NS_INSPECT_INSPECTION_DIFF_H_

#include <cstddef>
#include <string>
#include <vector>

#include "ns/inspect/inspect_model.h"
#include "ns/report/table/table_report.h"

namespace ns {

// One difference of a layer that both models have.
struct LayerDifference {
  std::string layer;
  // "op", "output", or the name of a weight.
  std::string part;
  // What each model has: "quint8, scale 0.0312, zero point 64"; "-" for
  // nothing.
  std::string a;
  std::string b;
};

struct InspectionDiff {
  std::string path_a;
  std::string path_b;
  // In the order of the layers of B.
  std::vector<LayerDifference> differences;
  // Names of layers that only one of them has, in its order.
  std::vector<std::string> only_a;
  std::vector<std::string> only_b;
  size_t layers_in_both = 0;

  bool IsEmpty() const {
    return differences.empty() && only_a.empty() && only_b.empty();
  }
};

// Compares ops, shapes and dtypes of weights, scales and zero points. Layers
// correspond by name. Of scales with one for each channel, the lowest and the
// highest are compared.
InspectionDiff DiffInspections(const ModelInspection& a,
                               const ModelInspection& b);

// Returns a row for each difference, and the counts and names below. Of
// `options`, `color`, `top` and `width` are used. Control characters in names
// are escaped.
std::string InspectionDiffTable(const InspectionDiff& diff,
                                const TableOptions& options);

// Returns the differences as JSON:
//
//   {"schema": "ns.model-diff/1", "a": "old.pt", "b": "new.pt",
//    "equal": false, "layers_in_both": 12,
//    "differences": [{"layer": "fc", "part": "output", "a": "...",
//                     "b": "..."}],
//    "new": [], "vanished": []}
std::string InspectionDiffJson(const InspectionDiff& diff);

}  // namespace ns

#endif  // NS_INSPECT_INSPECTION_DIFF_H_
