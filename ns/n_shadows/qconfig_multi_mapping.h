// Maps each subgraph of a model to several qconfigs, to be tried in one run.
#ifndef NS_N_SHADOWS_QCONFIG_MULTI_MAPPING_H_
#define NS_N_SHADOWS_QCONFIG_MULTI_MAPPING_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "passes/quantization/qconfig.h"
#include "passes/quantization/qconfig_mapping.h"

namespace ns {

// A list of QConfigMappings, where mapping i says what candidate i of each
// subgraph is (reference: QConfigMultiMapping). Settings and precedence are
// those of QConfigMapping, with a list of qconfigs for each:
//
//   QConfigMultiMapping()
//       .SetGlobal({Int8PerTensorQConfig(), DynamicQConfig()})
//       .SetModuleName("fc2", {Int8PerTensorQConfig()})
//
// Every list loses its duplicates and its absent qconfigs. A list that is
// shorter than others is padded with "no qconfig", and so are older settings
// when a longer list comes: the fc2 above has one candidate, not a second one
// from the global setting.
class QConfigMultiMapping {
 public:
  using QConfigs = std::vector<OptionalQConfig>;

  // One mapping without settings.
  QConfigMultiMapping() : mappings_(1) {}

  // The global qconfig of mapping i is that of mappings[i]. For every other
  // key, the qconfigs that `mappings` have for it are one list, as above:
  // without duplicates and absent ones, the rest go to mappings 0, 1 and so on.
  // So one may move to a mapping in front of its own, as in PyTorch; to keep a
  // place free is not possible.
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

  // The settings of each mapping, below its number.
  std::string ToString() const;

 private:
  using Setter = std::function<void(QConfigMapping&, const OptionalQConfig&)>;
  void Insert(QConfigs qconfigs, const Setter& set);
  void GrowTo(size_t count);

  std::vector<QConfigMapping> mappings_;
};

}  // namespace ns

#endif  // NS_N_SHADOWS_QCONFIG_MULTI_MAPPING_H_
