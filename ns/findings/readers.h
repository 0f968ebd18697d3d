// Finds the layers that a value flows into.
#ifndef NS_FINDINGS_READERS_H_
#define NS_FINDINGS_READERS_H_

#include <cstddef>
#include <vector>

#include "ns/result/comparison_result.h"

namespace ns {

// Returns the layers that take what layer `index` computes, in ascending order.
// Layers that only hand it on, exactly, as views do, give way to those that
// take it from them. Empty for what only the outputs of the model take.
std::vector<size_t> ReadersOf(const ComparisonResult& result, size_t index);

}  // namespace ns

#endif  // NS_FINDINGS_READERS_H_
