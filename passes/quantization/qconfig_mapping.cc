#include "passes/quantization/qconfig_mapping.h"

#include <regex>  // NOLINT(build/c++11)
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/torch_errors.h"

namespace ns {
namespace {

// What texts call the kinds of settings.
constexpr char kGlobal[] = "global";
constexpr char kObjectType[] = "object type";
constexpr char kModuleNameRegex[] = "module name regex";
constexpr char kModuleName[] = "module name";

template <typename Key>
void Set(QConfigMapping::Settings<Key>& settings, Key key,
         OptionalQConfig qconfig) {
  for (auto& [known, value] : settings) {
    if (known == key) {
      value = std::move(qconfig);
      return;
    }
  }
  settings.emplace_back(std::move(key), std::move(qconfig));
}

// Returns the first setting whose key is wanted, or null.
template <typename Key, typename Predicate>
const std::pair<Key, OptionalQConfig>* Find(
    const QConfigMapping::Settings<Key>& settings, const Predicate& is_wanted) {
  for (const std::pair<Key, OptionalQConfig>& setting : settings) {
    if (is_wanted(setting.first)) {
      return &setting;
    }
  }
  return nullptr;
}

// Say what a setting is for.
std::string RuleText(absl::string_view kind, const std::string& key) {
  return absl::StrCat(kind, " '", key, "'");
}
std::string RuleText(const QConfigMapping::OrderKey& key) {
  return absl::StrCat("object type '", key.object_type, "' number ", key.order,
                      " in module '", key.module_name, "'");
}

bool IsModuleType(absl::string_view type, absl::string_view object_type) {
  absl::string_view rest = type;
  return !object_type.empty() && absl::ConsumeSuffix(&rest, object_type) &&
         (rest.empty() || absl::EndsWith(rest, "."));
}

bool IsOp(const QConfigTarget& target, absl::string_view object_type) {
  return object_type == target.op || object_type == target.family;
}

// True when `path` starts with a match of `regex`, as Python's re.match tells.
bool StartsWithMatch(const std::string& path, const std::string& regex) {
  return std::regex_search(path, std::regex(regex),
                           std::regex_constants::match_continuous);
}

// Returns the path of the module around `path`: "a.b" for "a.b.c", "" for "a".
std::string ParentOf(const std::string& path) {
  const size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

}  // namespace

QConfigMapping& QConfigMapping::SetGlobal(OptionalQConfig qconfig) {
  global_ = std::move(qconfig);
  return *this;
}

QConfigMapping& QConfigMapping::SetObjectType(const std::string& object_type,
                                              OptionalQConfig qconfig) {
  Set(object_types_, object_type, std::move(qconfig));
  return *this;
}

QConfigMapping& QConfigMapping::SetModuleNameRegex(const std::string& regex,
                                                   OptionalQConfig qconfig) {
  Set(module_name_regexes_, regex, std::move(qconfig));
  return *this;
}

QConfigMapping& QConfigMapping::SetModuleName(const std::string& module_name,
                                              OptionalQConfig qconfig) {
  Set(module_names_, module_name, std::move(qconfig));
  return *this;
}

QConfigMapping& QConfigMapping::SetModuleNameObjectTypeOrder(
    const std::string& module_name, const std::string& object_type, int order,
    OptionalQConfig qconfig) {
  Set(orders_, OrderKey{module_name, object_type, order}, std::move(qconfig));
  return *this;
}

absl::Status QConfigMapping::Validate() const {
  for (const auto& [regex, qconfig] : module_name_regexes_) {
    const std::string& pattern = regex;
    absl::Status status =
        CatchTorchErrors(absl::StrCat("module name regex '", pattern, "'"),
                         [&] { std::regex compiled(pattern); });
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

QConfigChoice QConfigMapping::Choose(const QConfigTarget& target) const {
  if (const auto* found = Find(orders_, [&](const OrderKey& key) {
        return key.module_name == target.fqn && key.order == target.order &&
               (IsOp(target, key.object_type) ||
                IsModuleType(target.module_type, key.object_type));
      })) {
    return {found->second, QConfigSetting::kModuleNameObjectTypeOrder, true,
            RuleText(found->first)};
  }
  for (std::string path = target.fqn;; path = ParentOf(path)) {
    if (const auto* found = Find(module_names_, [&](const std::string& name) {
          return name == path;
        })) {
      return {found->second, QConfigSetting::kModuleName, path == target.fqn,
              RuleText(kModuleName, found->first)};
    }
    if (path.empty()) {
      break;
    }
  }
  if (const auto* found =
          Find(module_name_regexes_, [&](const std::string& regex) {
            return StartsWithMatch(target.fqn, regex);
          })) {
    return {found->second, QConfigSetting::kModuleNameRegex, false,
            RuleText(kModuleNameRegex, found->first)};
  }
  const auto is_module_type = [&](const std::string& type) {
    return IsModuleType(target.module_type, type);
  };
  const auto is_op = [&](const std::string& type) {
    return IsOp(target, type);
  };
  if (const auto* found = Find(object_types_, is_module_type)) {
    return {found->second, QConfigSetting::kObjectType, true,
            RuleText(kObjectType, found->first)};
  }
  if (const auto* found = Find(object_types_, is_op)) {
    return {found->second, QConfigSetting::kObjectType, true,
            RuleText(kObjectType, found->first)};
  }
  return {global_, global_ ? QConfigSetting::kGlobal : QConfigSetting::kNone,
          false, global_ ? kGlobal : ""};
}

bool QConfigMapping::operator==(const QConfigMapping& other) const {
  return global_ == other.global_ && object_types_ == other.object_types_ &&
         module_name_regexes_ == other.module_name_regexes_ &&
         module_names_ == other.module_names_ && orders_ == other.orders_;
}

std::string QConfigMapping::ToString() const {
  std::string text = absl::StrCat(kGlobal, ": ", QConfigName(global_), "\n");
  const auto append = [&](absl::string_view kind, const auto& settings) {
    for (const auto& [key, qconfig] : settings) {
      absl::StrAppend(&text, RuleText(kind, key), ": ", QConfigName(qconfig),
                      "\n");
    }
  };
  append(kObjectType, object_types_);
  append(kModuleNameRegex, module_name_regexes_);
  append(kModuleName, module_names_);
  for (const auto& [key, qconfig] : orders_) {
    absl::StrAppend(&text, RuleText(key), ": ", QConfigName(qconfig), "\n");
  }
  return text;
}

}  // namespace ns
