// Names the concatenations of a model whose inputs have very different ranges.
#ifndef PASSES_QUANTIZATION_OBSERVE_UNBALANCED_PARTS_H_
#define PASSES_QUANTIZATION_OBSERVE_UNBALANCED_PARTS_H_

#include <map>
#include <set>
#include <string>

namespace ns {

// A concatenation or stack gives one tensor, which has one scale in int8. Ops
// are named as FloatSubgraph::name names them.
struct UnbalancedParts {
  // Ops with an input whose values would be lost at the scale of the output,
  // and the reason with its figures. They stay in float.
  std::map<std::string, std::string> lost;
  // Ops whose inputs survive at that scale, although some have a much smaller
  // range. Each input keeps a scale of its own, and the op requantizes it.
  std::set<std::string> own_ranges;

  bool empty() const { return lost.empty() && own_ranges.empty(); }
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_UNBALANCED_PARTS_H_
