// Lists the types and paths of a module hierarchy for the eager suite.
#ifndef NS_EAGER_MODULE_TREE_H_
#define NS_EAGER_MODULE_TREE_H_

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

// Returns the type's name, unmangled by UnmangledTypeName
// (ir/graph/module_path.h).
std::string TypeNameOf(const torch::jit::Module& module);

// Returns the types of `module` and of all modules below it, parents first.
std::vector<std::string> TypeNames(const torch::jit::Module& module);

// Returns the types by path; the root's path is "".
std::map<std::string, std::string> TypesByPath(
    const torch::jit::Module& module);

// Whether one of `names` names `type` (see IsTypeNamed).
bool IsTypeListed(absl::string_view type,
                  const std::vector<std::string>& names);

}  // namespace ns

#endif  // NS_EAGER_MODULE_TREE_H_
