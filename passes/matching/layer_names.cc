#include "passes/matching/layer_names.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

// True for modules that PyTorch ships: one of them that calls no other is one
// op. FX's GraphModule is none, as it holds the flattened code of a whole
// model.
bool IsLibraryModule(absl::string_view type) {
  return absl::StartsWith(type, "torch.") &&
         !absl::StartsWith(type, "torch.fx.");
}

}  // namespace

LayerNames::LayerNames(const MatchableNodes& nodes) {
  const char* last = nullptr;
  for (int i = 0; i < nodes.size(); ++i) {
    absl::string_view fqn = nodes[i].path.fqn;
    // Nodes of one call mostly share the text of the path.
    if (fqn.data() == last) {
      continue;
    }
    last = fqn.data();
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

bool UniqueNames::WasMade(absl::string_view name) const {
  const size_t at = name.rfind('@');
  int number;
  // "fc@01" is no name that this class makes.
  if (at == absl::string_view::npos ||
      !absl::SimpleAtoi(name.substr(at + 1), &number) ||
      absl::StrCat(number) != name.substr(at + 1)) {
    return false;
  }
  const auto it = next_.find(name.substr(0, at));
  return it != next_.end() && 0 < number && number < it->second;
}

std::string UniqueNames::Take(const std::string& name) {
  const bool was_made = WasMade(name);
  const auto [it, is_new] = next_.try_emplace(name, 1);
  if (is_new && !was_made) {
    return name;
  }
  // A module may itself be called "fc@1".
  std::string unique;
  do {
    unique = absl::StrCat(name, "@", it->second++);
  } while (next_.contains(unique));
  return unique;
}

}  // namespace ns
