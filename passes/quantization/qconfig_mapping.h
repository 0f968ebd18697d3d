// Which qconfig each subgraph of a model gets.
#ifndef PASSES_QUANTIZATION_QCONFIG_MAPPING_H_
#define PASSES_QUANTIZATION_QCONFIG_MAPPING_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/qconfig.h"

namespace ns {

// What a mapping looks at of a subgraph: its base op.
struct QConfigTarget {
  // "aten::conv2d", and its family, "conv2d".
  std::string op;
  std::string family;
  // Path and type of the module that the op belongs to: "layer1.0.conv1",
  // "torch.nn.modules.conv.Conv2d".
  std::string fqn;
  std::string module_type;
  // How many targets with the same module and op come before this one.
  int order = 0;
};

// The setting that decided about a target; from the widest to the narrowest.
enum class QConfigSetting {
  kNone,
  kGlobal,
  kObjectType,
  kModuleNameRegex,
  kModuleName,
  kModuleNameObjectTypeOrder,
};

struct QConfigChoice {
  OptionalQConfig qconfig;
  QConfigSetting setting = QConfigSetting::kNone;
  // True when the setting names this op or this very module, rather than a
  // group it is one of (everything, a pattern, a module around it).
  bool names_target = false;
};

// One setting each for all subgraphs, for those of an object type, for modules
// with a matching or a given name, and for one op of one module; the narrowest
// that a subgraph meets decides, even when it says "no qconfig". Of settings of
// one kind, the one set first decides (reference: QConfigMapping).
//
//   QConfigMapping()
//       .SetGlobal(Int8PerTensorQConfig())
//       .SetObjectType("linear", DynamicQConfig())
//       .SetModuleName("head", std::nullopt)
class QConfigMapping {
 public:
  // Which module, object type and occurrence a setting of the narrowest kind is
  // for.
  struct OrderKey {
    std::string module_name;
    std::string object_type;
    int order = 0;

    bool operator==(const OrderKey& other) const {
      return module_name == other.module_name &&
             object_type == other.object_type && order == other.order;
    }
  };
  // In the order in which keys were first set.
  template <typename Key>
  using Settings = std::vector<std::pair<Key, OptionalQConfig>>;

  QConfigMapping& SetGlobal(OptionalQConfig qconfig);

  // `object_type` is an op ("aten::linear"), a family ("linear"), or the type
  // of the module around the op, whole or its last parts:
  // "torch.nn.modules.linear.Linear", "linear.Linear", "Linear". The type of a
  // module decides before an op.
  QConfigMapping& SetObjectType(const std::string& object_type,
                                OptionalQConfig qconfig);

  // For modules whose path starts with a match of `regex` (ECMAScript).
  QConfigMapping& SetModuleNameRegex(const std::string& regex,
                                     OptionalQConfig qconfig);

  // For the module with this path and those inside it; a path that is closer
  // to the module decides before others.
  QConfigMapping& SetModuleName(const std::string& module_name,
                                OptionalQConfig qconfig);

  // For the `order`th (from 0) op of this object type in the module with this
  // path.
  QConfigMapping& SetModuleNameObjectTypeOrder(const std::string& module_name,
                                               const std::string& object_type,
                                               int order,
                                               OptionalQConfig qconfig);

  // Error: a regular expression that is none.
  absl::Status Validate() const;

  // The mapping must be valid.
  QConfigChoice Choose(const QConfigTarget& target) const;

  const OptionalQConfig& global() const { return global_; }
  const Settings<std::string>& object_types() const { return object_types_; }
  const Settings<std::string>& module_name_regexes() const {
    return module_name_regexes_;
  }
  const Settings<std::string>& module_names() const { return module_names_; }
  const Settings<OrderKey>& module_name_object_type_orders() const {
    return orders_;
  }

  bool operator==(const QConfigMapping& other) const;
  bool operator!=(const QConfigMapping& other) const {
    return !(*this == other);
  }

  // One line a setting: "object type 'linear': dynamic".
  std::string ToString() const;

 private:
  OptionalQConfig global_;
  Settings<std::string> object_types_;
  Settings<std::string> module_name_regexes_;
  Settings<std::string> module_names_;
  Settings<OrderKey> orders_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QCONFIG_MAPPING_H_
