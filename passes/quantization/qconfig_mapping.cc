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

// std::regex calls itself for each character.
constexpr size_t kLongestRegex = 1000;

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

template <typename Key, typename Predicate>
const OptionalQConfig* Find(const QConfigMapping::Settings<Key>& settings,
                            const Predicate& is_wanted) {
  for (const auto& [key, qconfig] : settings) {
    if (is_wanted(key)) {
      return &qconfig;
    }
  }
  return nullptr;
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
    if (pattern.size() > kLongestRegex) {
      return absl::InvalidArgumentError(
          absl::StrCat("module name regex '", pattern.substr(0, 20),
                       "...' is longer than ", kLongestRegex, " characters"));
    }
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
    return {*found, QConfigSetting::kModuleNameObjectTypeOrder, true};
  }
  for (std::string path = target.fqn;; path = ParentOf(path)) {
    if (const auto* found = Find(module_names_, [&](const std::string& name) {
          return name == path;
        })) {
      return {*found, QConfigSetting::kModuleName, path == target.fqn};
    }
    if (path.empty()) {
      break;
    }
  }
  if (const auto* found =
          Find(module_name_regexes_, [&](const std::string& regex) {
            return StartsWithMatch(target.fqn, regex);
          })) {
    return {*found, QConfigSetting::kModuleNameRegex, false};
  }
  const auto is_module_type = [&](const std::string& type) {
    return IsModuleType(target.module_type, type);
  };
  const auto is_op = [&](const std::string& type) {
    return IsOp(target, type);
  };
  if (const auto* found = Find(object_types_, is_module_type)) {
    return {*found, QConfigSetting::kObjectType, true};
  }
  if (const auto* found = Find(object_types_, is_op)) {
    return {*found, QConfigSetting::kObjectType, true};
  }
  return {global_, global_ ? QConfigSetting::kGlobal : QConfigSetting::kNone,
          false};
}

bool QConfigMapping::operator==(const QConfigMapping& other) const {
  return global_ == other.global_ && object_types_ == other.object_types_ &&
         module_name_regexes_ == other.module_name_regexes_ &&
         module_names_ == other.module_names_ && orders_ == other.orders_;
}

std::string QConfigMapping::ToString() const {
  std::string text = absl::StrCat("global: ", QConfigName(global_), "\n");
  const auto append = [&](absl::string_view kind, const auto& settings) {
    for (const auto& [key, qconfig] : settings) {
      absl::StrAppend(&text, kind, " '", key, "': ", QConfigName(qconfig),
                      "\n");
    }
  };
  append("object type", object_types_);
  append("module name regex", module_name_regexes_);
  append("module name", module_names_);
  for (const auto& [key, qconfig] : orders_) {
    absl::StrAppend(&text, "object type '", key.object_type, "' number ",
                    key.order, " in module '", key.module_name,
                    "': ", QConfigName(qconfig), "\n");
  }
  return text;
}

}  // namespace ns
