#include "ns/eager/module_tree.h"

#include <algorithm>

#include "ir/graph/module_path.h"

namespace ns {
namespace {

using ::torch::jit::Module;

void CollectTypes(const Module& module, const std::string& path,
                  std::map<std::string, std::string>& types) {
  types[path] = TypeNameOf(module);
  for (const auto& child : module.named_children()) {
    CollectTypes(child.value, JoinPath(path, child.name), types);
  }
}

}  // namespace

std::string TypeNameOf(const Module& module) {
  const auto& name = module.type()->name();
  return name ? UnmangledTypeName(name->qualifiedName()) : "";
}

std::vector<std::string> TypeNames(const Module& module) {
  std::vector<std::string> types = {TypeNameOf(module)};
  for (const auto& child : module.named_children()) {
    const std::vector<std::string> below = TypeNames(child.value);
    types.insert(types.end(), below.begin(), below.end());
  }
  return types;
}

std::map<std::string, std::string> TypesByPath(const Module& module) {
  std::map<std::string, std::string> types;
  CollectTypes(module, "", types);
  return types;
}

bool IsTypeListed(absl::string_view type,
                  const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return IsTypeNamed(type, name);
  });
}

}  // namespace ns
