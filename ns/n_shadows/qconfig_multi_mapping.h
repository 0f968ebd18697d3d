// Maps each subgraph of a model to several qconfigs, to be tried in one run.
#ifndef NS_N_SHADOWS_QCONFIG_MULTI_MAPPING_H_
#define NS_N_SHADOWS_QCONFIG_MULTI_MAPPING_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

// A list of QConfigMappings, where mapping i says what candidate i of each
// subgraph is (reference: QConfigMultiMapping). Settings and precedence are
// those of QConfigMapping, with a list of qconfigs for each:
//
//   QConfigMultiMapping()
//       .SetGlobal({Int8PerTensorQConfig(), DynamicQConfig()})
//       .SetModuleName("fc2", {Int8PerTensorQConfig()})
//
// Duplicates and absent qconfigs are removed from every list. A list that is
// shorter than the longest one is filled up with "no qconfig", also when the
// longer one is set later. So the fc2 above has one candidate, and does not get
// a second one from the global setting.
class QConfigMultiMapping {
 public:
  using QConfigs = std::vector<OptionalQConfig>;

  // One mapping without settings.
  QConfigMultiMapping() : mappings_(1) {}

  // Combines `mappings`. The global qconfig of mapping i is that of
  // mappings[i]. For every other key, the qconfigs that `mappings` have for it
  // are collected into one list and set as above. Since duplicates and absent
  // ones are removed, a qconfig can end up in a mapping in front of its own, as
  // in PyTorch. A place in such a list cannot be kept free.
  static QConfigMultiMapping FromListOfQConfigMapping(
      absl::Span<const QConfigMapping> mappings);

  QConfigMultiMapping& SetGlobal(const QConfigs& qconfigs);
  QConfigMultiMapping& SetObjectType(const std::string& object_type,
                                     const QConfigs& qconfigs);
  QConfigMultiMapping& SetModuleNameRegex(const std::string& regex,
                                          const QConfigs& qconfigs);
  QConfigMultiMapping& SetModuleName(const std::string& module_name,
                                     const QConfigs& qconfigs);
  QConfigMultiMapping& SetModuleNameObjectTypeOrder(
      const std::string& module_name, const std::string& object_type, int order,
      const QConfigs& qconfigs);

  // The mappings, of which there is at least one.
  const std::vector<QConfigMapping>& mappings() const { return mappings_; }

  bool operator==(const QConfigMultiMapping& other) const {
    return mappings_ == other.mappings_;
  }
  bool operator!=(const QConfigMultiMapping& other) const {
    return !(*this == other);
  }

  // The settings of each mapping, below a line "candidate <i>".
  std::string ToString() const;

 private:
  using Setter = std::function<void(QConfigMapping&, const OptionalQConfig&)>;
  void Insert(QConfigs qconfigs, const Setter& set);
  void GrowTo(size_t count);

  std::vector<QConfigMapping> mappings_;
};

}  // namespace ns

#endif  // NS_N_SHADOWS_QCONFIG_MULTI_MAPPING_H_
