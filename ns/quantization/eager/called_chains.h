// Finds modules of a hierarchy that are always called one after the other.
#ifndef NS_QUANTIZATION_EAGER_CALLED_CHAINS_H_
#define NS_QUANTIZATION_EAGER_CALLED_CHAINS_H_

#include <torch/csrc/jit/api/module.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// The paths and types of modules, in the order of their calls.
struct CalledChain {
  std::vector<std::string> paths;
  std::vector<std::string> types;
};

// Returns the chains of leaf modules of `model` whose types `is_part` accepts,
// ordered by the first call of each. In every call of a module of a chain,
// loops included, the next one alone takes its output, and none of the modules
// is called in any other way. A module with two paths belongs to no chain: a
// module that takes its place would have only one of them. Error: a model that
// cannot be flattened.
absl::StatusOr<std::vector<CalledChain>> FindCalledChains(
    const torch::jit::Module& model,
    const std::function<bool(absl::string_view type)>& is_part);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_CALLED_CHAINS_H_
