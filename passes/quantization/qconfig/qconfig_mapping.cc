#include "passes/quantization/qconfig/qconfig_mapping.h"

#include <algorithm>
#include <functional>
#include <regex>  // NOLINT(build/c++11)
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/base/torch_errors.h"

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

// The first setting whose key is wanted; null when there is none.
template <typename Key, typename Predicate>
const std::pair<Key, OptionalQConfig>* Find(
    const QConfigMapping::Settings<Key>& settings, const Predicate& is_wanted) {
  const auto found = absl::c_find_if(
      settings, [&](const auto& setting) { return is_wanted(setting.first); });
  return found == settings.end() ? nullptr : &*found;
}

// What QConfigChoice::rule and ToString call settings.
constexpr char kGlobalRule[] = "global";
constexpr char kObjectTypeRule[] = "object type";
constexpr char kModuleNameRegexRule[] = "module name regex";
constexpr char kModuleNameRule[] = "module name";

std::string RuleText(absl::string_view kind, absl::string_view key) {
  return absl::StrCat(kind, " '", key, "'");
}

std::string RuleText(const QConfigMapping::OrderKey& key) {
  return absl::StrCat(RuleText(kObjectTypeRule, key.object_type), " number ",
                      key.order, " in module '", key.module_name, "'");
}

// True when the last parts of `type` are `name`.
bool EndsWithParts(absl::string_view type, absl::string_view name) {
  return !name.empty() && absl::ConsumeSuffix(&type, name) &&
         (type.empty() || absl::EndsWith(type, "."));
}

// "torch.nn.Linear" is where PyTorch shows torch.nn.modules.linear.Linear.
bool IsModuleType(absl::string_view type, absl::string_view object_type) {
  if (EndsWithParts(type, object_type)) {
    return true;
  }
  absl::string_view name = object_type;
  return (absl::ConsumePrefix(&name, "torch.nn.") ||
          absl::ConsumePrefix(&name, "nn.")) &&
         absl::StartsWith(type, "torch.nn.modules.") &&
         !absl::StrContains(name, '.') && EndsWithParts(type, name);
}

// The name of an op in what Python calls it: "relu" of "torch.relu".
absl::string_view WithoutPythonModule(absl::string_view function) {
  for (const absl::string_view prefix :
       {"torch.nn.functional.", "torch.ops.aten.", "torch.Tensor.", "torch.",
        "nn.functional.", "F.", "operator.", "_operator."}) {
    if (absl::ConsumePrefix(&function, prefix)) {
      break;
    }
  }
  return function;
}

bool IsOp(const QConfigTarget& target, absl::string_view object_type) {
  if (object_type.empty()) {
    return false;
  }
  if (object_type == target.op || object_type == target.family) {
    return true;
  }
  const absl::string_view name = WithoutPythonModule(object_type);
  return !name.empty() &&
         (name == target.family || absl::StrCat("aten::", name) == target.op);
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

QConfigMapping QConfigMapping::With(
    const std::function<QConfig(QConfig)>& change) const {
  QConfigMapping changed = *this;
  const auto apply = [&](OptionalQConfig& qconfig) {
    if (qconfig) {
      qconfig = change(*std::move(qconfig));
    }
  };
  apply(changed.global_);
  for (auto* settings : {&changed.object_types_, &changed.module_name_regexes_,
                         &changed.module_names_}) {
    for (auto& [key, qconfig] : *settings) {
      apply(qconfig);
    }
  }
  for (auto& [key, qconfig] : changed.orders_) {
    apply(qconfig);
  }
  return changed;
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
  const OrderKey op_key{target.fqn, target.op, target.order};
  const auto* of_op =
      Find(orders_, [&](const OrderKey& key) { return key == op_key; });
  if (of_op == nullptr) {
    of_op = Find(orders_, [&](const OrderKey& key) {
      return key.module_name == target.fqn && key.order == target.order &&
             (IsOp(target, key.object_type) ||
              IsModuleType(target.module_type, key.object_type));
    });
  }
  if (of_op != nullptr) {
    return {of_op->second, QConfigSetting::kModuleNameObjectTypeOrder, true,
            RuleText(of_op->first)};
  }
  for (std::string path = target.fqn;; path = ParentOf(path)) {
    if (const auto* found = Find(module_names_, [&](const std::string& name) {
          return name == path;
        })) {
      return {found->second, QConfigSetting::kModuleName, path == target.fqn,
              RuleText(kModuleNameRule, found->first)};
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
            RuleText(kModuleNameRegexRule, found->first)};
  }
  const auto* found = Find(object_types_, [&](const std::string& type) {
    return IsModuleType(target.module_type, type);
  });
  if (found == nullptr) {
    found = Find(object_types_,
                 [&](const std::string& type) { return IsOp(target, type); });
  }
  if (found != nullptr) {
    return {found->second, QConfigSetting::kObjectType, true,
            RuleText(kObjectTypeRule, found->first)};
  }
  return global_ ? QConfigChoice{global_, QConfigSetting::kGlobal, false,
                                 kGlobalRule}
                 : QConfigChoice();
}

bool QConfigMapping::operator==(const QConfigMapping& other) const {
  return global_ == other.global_ && object_types_ == other.object_types_ &&
         module_name_regexes_ == other.module_name_regexes_ &&
         module_names_ == other.module_names_ && orders_ == other.orders_;
}

std::vector<std::pair<std::string, OptionalQConfig>> QConfigMapping::Rules()
    const {
  std::vector<std::pair<std::string, OptionalQConfig>> rules;
  if (global_) {
    rules.emplace_back(kGlobalRule, global_);
  }
  for (const auto& [type, qconfig] : object_types_) {
    rules.emplace_back(RuleText(kObjectTypeRule, type), qconfig);
  }
  for (const auto& [regex, qconfig] : module_name_regexes_) {
    rules.emplace_back(RuleText(kModuleNameRegexRule, regex), qconfig);
  }
  for (const auto& [name, qconfig] : module_names_) {
    rules.emplace_back(RuleText(kModuleNameRule, name), qconfig);
  }
  for (const auto& [key, qconfig] : orders_) {
    rules.emplace_back(RuleText(key), qconfig);
  }
  return rules;
}

QConfigMapping QConfigMapping::Without(
    const std::vector<std::string>& rules) const {
  const auto without = [&](auto settings, const auto& name) {
    settings.erase(std::remove_if(settings.begin(), settings.end(),
                                  [&](const auto& setting) {
                                    return absl::c_linear_search(
                                        rules, name(setting.first));
                                  }),
                   settings.end());
    return settings;
  };
  const auto named = [](const char* kind) {
    return [kind](const std::string& key) { return RuleText(kind, key); };
  };
  QConfigMapping copy;
  if (!absl::c_linear_search(rules, kGlobalRule)) {
    copy.global_ = global_;
  }
  copy.object_types_ = without(object_types_, named(kObjectTypeRule));
  copy.module_name_regexes_ =
      without(module_name_regexes_, named(kModuleNameRegexRule));
  copy.module_names_ = without(module_names_, named(kModuleNameRule));
  copy.orders_ =
      without(orders_, [](const OrderKey& key) { return RuleText(key); });
  return copy;
}

std::string QConfigMapping::ToString() const {
  std::string text;
  for (const auto& [rule, qconfig] : Rules()) {
    absl::StrAppend(&text, rule, ": ", QConfigName(qconfig), "\n");
  }
  return text;
}

}  // namespace ns
