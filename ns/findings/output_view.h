// Lets reports iterate over the outputs of a layer, the first and the others
// alike.
#ifndef NS_FINDINGS_OUTPUT_VIEW_H_
#define NS_FINDINGS_OUTPUT_VIEW_H_

#include <optional>
#include <string>
#include <vector>

#include "ns/result/comparison_result.h"

namespace ns {

// One output of a layer. It points into the layer, which must outlive it.
struct OutputView {
  // Null for the first output, whose figures the layer itself has.
  const OutputComparison* other;
  // The figures of the output; the pointers are never null.
  const std::optional<ActivationComparison>* activation;
  const std::optional<ActivationComparison>* shadow;
  const std::optional<ErrorFigures>* inherited;
};

// Returns all outputs of `layer`, the first one first.
std::vector<OutputView> OutputViews(const LayerComparison& layer);

// Returns "lstm" for the first output of a layer, for which `other` is null,
// and "lstm (c_n)" for another one. Control characters are escaped.
std::string OutputLabel(const LayerComparison& layer,
                        const OutputComparison* other);

}  // namespace ns

#endif  // NS_FINDINGS_OUTPUT_VIEW_H_
