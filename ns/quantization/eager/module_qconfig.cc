#include "ns/quantization/eager/module_qconfig.h"

#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/nearest_name.h"
#include "ir/base/status.h"
#include "ir/graph/module_path.h"
#include "ns/eager/module_tree.h"
#include "passes/quantization/qconfig/qconfig_json.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// Error: a key that names no module.
absl::Status CheckKeys(const ModuleEditor& editor, const QConfigSpec& spec) {
  const std::vector<std::string> paths = editor.Paths();
  const std::vector<std::string> types = TypeNames(editor.root());
  for (const auto& [key, qconfig] : spec) {
    const std::string& name = key;
    if (absl::c_linear_search(paths, name) ||
        absl::c_any_of(types, [&](const std::string& type) {
          return IsTypeNamed(type, name);
        })) {
      continue;
    }
    const std::vector<absl::string_view> names(paths.begin(), paths.end());
    return absl::NotFoundError(absl::StrCat(
        "the model has no module or type of modules '", name, "', which has a ",
        "qconfig; ", DidYouMean(name, names, "leave it out")));
  }
  return absl::OkStatus();
}

// What `spec` says of a module at `path` and of this type, itself: its path
// before its type, and of types the one that is named at greatest length. Null
// for nothing.
const QConfigSpec::value_type* EntryFor(const QConfigSpec& spec,
                                        const std::string& path,
                                        absl::string_view type) {
  const auto by_path = spec.find(path);
  if (by_path != spec.end()) {
    return &*by_path;
  }
  const QConfigSpec::value_type* found = nullptr;
  for (const auto& entry : spec) {
    if (!entry.first.empty() && IsTypeNamed(type, entry.first) &&
        (found == nullptr || entry.first.size() > found->first.size())) {
      found = &entry;
    }
  }
  return found;
}

class Propagation {
 public:
  Propagation(const QConfigSpec& spec, const NonTraceable& non_traceable)
      : spec_(spec), non_traceable_(non_traceable) {}

  absl::Status Visit(Module module, const std::string& path,
                     const OptionalQConfig& around) {
    if (!seen_.insert(module._ivalue().get()).second) {
      return absl::OkStatus();
    }
    const auto* entry = EntryFor(spec_, path, TypeNameOf(module));
    OptionalQConfig qconfig = entry == nullptr ? around : entry->second;
    if (module.hasattr(kQConfigAttribute)) {
      NS_ASSIGN_OR_RETURN(qconfig, QConfigOf(module));
    } else {
      module.register_attribute(kQConfigAttribute, c10::StringType::get(),
                                QConfigToJson(qconfig));
    }
    for (const auto& child : module.named_children()) {
      if (!absl::c_linear_search(non_traceable_.names, child.name) &&
          !IsTypeListed(TypeNameOf(child.value), non_traceable_.types)) {
        NS_RETURN_IF_ERROR(
            Visit(child.value, JoinPath(path, child.name), qconfig));
      }
    }
    return absl::OkStatus();
  }

 private:
  const QConfigSpec& spec_;
  const NonTraceable& non_traceable_;
  std::set<const c10::ivalue::Object*> seen_;
};

}  // namespace

absl::StatusOr<QConfigSpec> SpecOf(const QConfigMapping& mapping) {
  if (!mapping.module_name_regexes().empty() ||
      !mapping.module_name_object_type_orders().empty()) {
    return absl::InvalidArgumentError(
        "module_name_regex and module_name_object_type_order are for flat "
        "graphs; give module_name and object_type");
  }
  QConfigSpec spec;
  if (mapping.global()) {
    spec[""] = mapping.global();
  }
  for (const auto& [type, qconfig] : mapping.object_types()) {
    spec[type] = qconfig;
  }
  for (const auto& [name, qconfig] : mapping.module_names()) {
    spec[name] = qconfig;
  }
  return spec;
}

std::string RuleFor(const QConfigSpec& spec,
                    const std::map<std::string, std::string>& types,
                    const std::string& path) {
  // The module itself, and then those around it.
  std::string at = path;
  while (true) {
    const auto type = types.find(at);
    const auto* entry =
        EntryFor(spec, at, type == types.end() ? "" : type->second);
    if (entry != nullptr && entry->first == at) {
      return at.empty() ? "global" : absl::StrCat("module name '", at, "'");
    }
    if (entry != nullptr) {
      return absl::StrCat("object type '", entry->first, "'");
    }
    if (at.empty()) {
      return "";
    }
    const size_t dot = at.rfind('.');
    at = dot == std::string::npos ? "" : at.substr(0, dot);
  }
}

absl::StatusOr<OptionalQConfig> QConfigOf(const Module& module) {
  if (!module.hasattr(kQConfigAttribute)) {
    return OptionalQConfig();
  }
  const c10::IValue value = module.attr(kQConfigAttribute);
  if (!value.isString()) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute '", kQConfigAttribute, "' is no qconfig"));
  }
  return Annotated(kQConfigAttribute, ParseQConfig(value.toStringRef()));
}

absl::Status SetQConfig(ModuleEditor& editor, absl::string_view path,
                        const OptionalQConfig& qconfig) {
  NS_ASSIGN_OR_RETURN(Module module, editor.At(path));
  NS_RETURN_IF_ERROR(editor.RemoveAttribute(path, kQConfigAttribute));
  module.register_attribute(kQConfigAttribute, c10::StringType::get(),
                            QConfigToJson(qconfig));
  return absl::OkStatus();
}

absl::Status PropagateQConfig(ModuleEditor& editor, const QConfigSpec& spec,
                              const NonTraceable& non_traceable) {
  NS_RETURN_IF_ERROR(CheckKeys(editor, spec));
  return Propagation(spec, non_traceable)
      .Visit(editor.root(), "", OptionalQConfig());
}

absl::Status RemoveQConfigs(ModuleEditor& editor) {
  for (const std::string& path : editor.Paths()) {
    NS_RETURN_IF_ERROR(editor.RemoveAttribute(path, kQConfigAttribute));
  }
  return absl::OkStatus();
}

}  // namespace ns
