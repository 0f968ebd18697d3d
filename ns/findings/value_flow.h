// Follows values through the layers of a comparison.
#ifndef NS_FINDINGS_VALUE_FLOW_H_
#define NS_FINDINGS_VALUE_FLOW_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "ns/result/comparison_result.h"

namespace ns {

// Calls `goes_on` for each layer that takes what layer `index` computes, and,
// where that returns true, for those that take what this layer hands on. Each
// layer is visited once at most, in ascending order.
void VisitReaders(const ComparisonResult& result, size_t index,
                  absl::FunctionRef<bool(size_t reader)> goes_on);

// Returns the layers that take what layer `index` computes, in ascending order.
// Layers that only hand it on, exactly, as views do, give way to those that
// take it from them. Empty for what only the outputs of the model take.
std::vector<size_t> ReadersOf(const ComparisonResult& result, size_t index);

// Returns which layers are layer `index`, or flow into it along steps from a
// reader to its producer for which `goes_on` holds.
std::vector<bool> FlowsInto(
    const ComparisonResult& result, size_t index,
    absl::FunctionRef<bool(size_t reader, size_t producer)> goes_on);

}  // namespace ns

#endif  // NS_FINDINGS_VALUE_FLOW_H_
