#include "passes/matching/layer_names.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/node_view.h"

namespace ns {
namespace {

// Modules that PyTorch ships: one of them that calls no other is one op. FX's
// GraphModule holds the flattened code of a whole model.
bool IsLibraryModule(absl::string_view type) {
  return absl::StartsWith(type, "torch.") &&
         !absl::StartsWith(type, "torch.fx.");
}

}  // namespace

LayerNames::LayerNames(const MatchableNodes& nodes) {
  for (int i = 0; i < nodes.size(); ++i) {
    absl::string_view fqn = nodes[i].path.fqn;
    for (size_t dot = fqn.rfind('.'); dot != absl::string_view::npos;
         dot = fqn.rfind('.')) {
      fqn = fqn.substr(0, dot);
      if (!composites_.insert(std::string(fqn)).second) {
        break;
      }
    }
  }
}

std::string LayerNames::NameOf(const ModulePath& path,
                               absl::string_view op) const {
  const bool is_leaf_call = op == path.type;
  if (!path.fqn.empty() && (is_leaf_call || IsLibraryModule(path.type)) &&
      !composites_.contains(path.fqn)) {
    return std::string(path.fqn);
  }
  const absl::string_view short_name =
      absl::StripSuffix(absl::StripPrefix(ShortOpName(op), "fbgemm_"), "_");
  return path.fqn.empty() ? std::string(short_name)
                          : absl::StrCat(path.fqn, ".", short_name);
}

std::string UniqueNames::Take(const std::string& name) {
  const auto [taken, is_new] = taken_.try_emplace(name, 1);
  if (is_new) {
    return name;
  }
  int count = taken->second;
  std::string unique;
  // A module may itself be called "fc@1".
  do {
    unique = absl::StrCat(name, "@", count++);
  } while (taken_.contains(unique));
  taken->second = count;
  taken_[unique] = 1;  // may move what `taken` points at
  return unique;
}

}  // namespace ns
