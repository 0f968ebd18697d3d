#include "ns/n_shadows/qconfig_multi_mapping.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace ns {
namespace {

using QConfigs = QConfigMultiMapping::QConfigs;

QConfigs WithoutDuplicatesAndAbsent(const QConfigs& qconfigs) {
  QConfigs kept;
  for (const OptionalQConfig& qconfig : qconfigs) {
    if (qconfig && !absl::c_linear_search(kept, qconfig)) {
      kept.push_back(qconfig);
    }
  }
  return kept;
}

// The qconfigs that `mappings` have under one key, by key, in the order in
// which keys first come.
template <typename Key, typename Settings>
std::vector<std::pair<Key, QConfigs>> Gather(
    absl::Span<const QConfigMapping> mappings, Settings settings_of) {
  std::vector<std::pair<Key, QConfigs>> gathered;
  for (const QConfigMapping& mapping : mappings) {
    for (const auto& setting : settings_of(mapping)) {
      auto it = absl::c_find_if(gathered, [&](const auto& known) {
        return known.first == setting.first;
      });
      if (it == gathered.end()) {
        it = gathered.insert(it, {setting.first, {}});
      }
      it->second.push_back(setting.second);
    }
  }
  return gathered;
}

}  // namespace

QConfigMultiMapping QConfigMultiMapping::FromListOfQConfigMapping(
    absl::Span<const QConfigMapping> mappings) {
  QConfigMultiMapping multi;
  multi.mappings_.resize(std::max<size_t>(1, mappings.size()));
  for (size_t i = 0; i < mappings.size(); ++i) {
    multi.mappings_[i].SetGlobal(mappings[i].global());
  }
  for (const auto& [key, qconfigs] :
       Gather<std::string>(mappings, [](const QConfigMapping& mapping) {
         return mapping.object_types();
       })) {
    multi.SetObjectType(key, qconfigs);
  }
  for (const auto& [key, qconfigs] :
       Gather<std::string>(mappings, [](const QConfigMapping& mapping) {
         return mapping.module_name_regexes();
       })) {
    multi.SetModuleNameRegex(key, qconfigs);
  }
  for (const auto& [key, qconfigs] :
       Gather<std::string>(mappings, [](const QConfigMapping& mapping) {
         return mapping.module_names();
       })) {
    multi.SetModuleName(key, qconfigs);
  }
  for (const auto& [key, qconfigs] : Gather<QConfigMapping::OrderKey>(
           mappings, [](const QConfigMapping& mapping) {
             return mapping.module_name_object_type_orders();
           })) {
    multi.SetModuleNameObjectTypeOrder(key.module_name, key.object_type,
                                       key.order, qconfigs);
  }
  return multi;
}

// New mappings know every key of the old ones, without a qconfig.
void QConfigMultiMapping::GrowTo(size_t count) {
  QConfigMapping padding = mappings_.front();
  padding.SetGlobal(std::nullopt);
  for (const auto& [key, qconfig] : mappings_.front().object_types()) {
    padding.SetObjectType(key, std::nullopt);
  }
  for (const auto& [key, qconfig] : mappings_.front().module_name_regexes()) {
    padding.SetModuleNameRegex(key, std::nullopt);
  }
  for (const auto& [key, qconfig] : mappings_.front().module_names()) {
    padding.SetModuleName(key, std::nullopt);
  }
  for (const auto& [key, qconfig] :
       mappings_.front().module_name_object_type_orders()) {
    padding.SetModuleNameObjectTypeOrder(key.module_name, key.object_type,
                                         key.order, std::nullopt);
  }
  mappings_.resize(count, padding);
}

void QConfigMultiMapping::Insert(QConfigs qconfigs, const Setter& set) {
  qconfigs = WithoutDuplicatesAndAbsent(qconfigs);
  if (qconfigs.size() > mappings_.size()) {
    GrowTo(qconfigs.size());
  }
  qconfigs.resize(mappings_.size());
  for (size_t i = 0; i < mappings_.size(); ++i) {
    set(mappings_[i], qconfigs[i]);
  }
}

QConfigMultiMapping& QConfigMultiMapping::SetGlobal(const QConfigs& qconfigs) {
  Insert(qconfigs, [](QConfigMapping& mapping, const OptionalQConfig& qconfig) {
    mapping.SetGlobal(qconfig);
  });
  return *this;
}

QConfigMultiMapping& QConfigMultiMapping::SetObjectType(
    const std::string& object_type, const QConfigs& qconfigs) {
  Insert(qconfigs,
         [&](QConfigMapping& mapping, const OptionalQConfig& qconfig) {
           mapping.SetObjectType(object_type, qconfig);
         });
  return *this;
}

QConfigMultiMapping& QConfigMultiMapping::SetModuleNameRegex(
    const std::string& regex, const QConfigs& qconfigs) {
  Insert(qconfigs,
         [&](QConfigMapping& mapping, const OptionalQConfig& qconfig) {
           mapping.SetModuleNameRegex(regex, qconfig);
         });
  return *this;
}

QConfigMultiMapping& QConfigMultiMapping::SetModuleName(
    const std::string& module_name, const QConfigs& qconfigs) {
  Insert(qconfigs,
         [&](QConfigMapping& mapping, const OptionalQConfig& qconfig) {
           mapping.SetModuleName(module_name, qconfig);
         });
  return *this;
}

QConfigMultiMapping& QConfigMultiMapping::SetModuleNameObjectTypeOrder(
    const std::string& module_name, const std::string& object_type, int order,
    const QConfigs& qconfigs) {
  Insert(qconfigs,
         [&](QConfigMapping& mapping, const OptionalQConfig& qconfig) {
           mapping.SetModuleNameObjectTypeOrder(module_name, object_type, order,
                                                qconfig);
         });
  return *this;
}

std::string QConfigMultiMapping::ToString() const {
  std::string text;
  for (size_t i = 0; i < mappings_.size(); ++i) {
    absl::StrAppend(&text, "candidate ", i, "\n", mappings_[i].ToString());
  }
  return text;
}

}  // namespace ns
