// Chooses the qconfig of each subgraph of a model.
#ifndef PASSES_QUANTIZATION_QCONFIG_QCONFIG_MAPPING_H_
#define PASSES_QUANTIZATION_QCONFIG_QCONFIG_MAPPING_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

// The facts of a subgraph that a mapping looks at, all of its base op.
struct QConfigTarget {
  // The op, "aten::conv2d", and its family, "conv2d".
  std::string op;
  std::string family;
  // The path of the module that the op belongs to, "layer1.0.conv1", and the
  // type of that module, "torch.nn.modules.conv.Conv2d".
  std::string fqn;
  std::string module_type;
  // The number of targets with the same module and op before this one.
  int order = 0;
};

// The kinds of settings, from the widest to the narrowest.
enum class QConfigSetting {
  kNone,  // no setting is for the target
  kGlobal,
  kObjectType,
  kModuleNameRegex,
  kModuleName,
  kModuleNameObjectTypeOrder,
};

// What a mapping says of a target.
struct QConfigChoice {
  OptionalQConfig qconfig;
  // The kind of the setting that decided.
  QConfigSetting setting = QConfigSetting::kNone;
  // True for settings of an object type, of one op of a module, and of exactly
  // the target's module; false for those of everything, of a pattern, and of a
  // module around. Where the setting names the target, a kernel that cannot do
  // what it says is an error, and else the op is left out.
  bool names_target = false;
  // The setting that decided, as ToString calls it: "global", "object type
  // 'linear'", "module name 'fc'", "module name regex 'a.*'", "object type
  // 'linear' number 0 in module 'head'". Empty for kNone.
  std::string rule;
};

// Has settings for all subgraphs, for those of an object type, for modules
// whose name matches a pattern or is given, and for one op of one module. The
// narrowest setting that is for a subgraph decides, even when it says "no
// qconfig". Among patterns, and among object types, the first one that was set
// decides, as in PyTorch's QConfigMapping. Among settings for one op of one
// module, the first whose object type is the op itself ("aten::linear") does,
// or else the first. A second setting of the same key takes the place of the
// first.
//
//   QConfigMapping()
//       .SetGlobal(Int8PerTensorQConfig())
//       .SetObjectType("linear", DynamicQConfig())
//       .SetModuleName("head", std::nullopt)
class QConfigMapping {
 public:
  // The op that a setting of the narrowest kind is for.
  struct OrderKey {
    std::string module_name;
    std::string object_type;
    int order = 0;

    bool operator==(const OrderKey& other) const {
      return module_name == other.module_name &&
             object_type == other.object_type && order == other.order;
    }
  };
  // The settings of one kind, in the order in which their keys were first set.
  template <typename Key>
  using Settings = std::vector<std::pair<Key, OptionalQConfig>>;

  // Sets the qconfig of all subgraphs; nullopt takes the setting away.
  QConfigMapping& SetGlobal(OptionalQConfig qconfig);

  // Sets the qconfig of an object type: an op ("aten::linear"), a family
  // ("linear"), what Python calls one ("torch.nn.functional.linear",
  // "F.linear", "torch.relu", "operator.add"), or the type of the module around
  // the op, in full or its last parts: "torch.nn.modules.linear.Linear",
  // "linear.Linear", "Linear", "torch.nn.Linear". A setting for the type of a
  // module decides before one for an op.
  QConfigMapping& SetObjectType(const std::string& object_type,
                                OptionalQConfig qconfig);

  // Sets the qconfig of modules whose path starts with a match of `regex`
  // (ECMAScript, on bytes): "layer1" is for layer10, too.
  QConfigMapping& SetModuleNameRegex(const std::string& regex,
                                     OptionalQConfig qconfig);

  // Sets the qconfig of the module with this path and of those inside it; "" is
  // the whole model. The longest path decides.
  QConfigMapping& SetModuleName(const std::string& module_name,
                                OptionalQConfig qconfig);

  // Sets the qconfig of op number `order`, counted from 0, of this object type
  // in the module with this path. Each op ("aten::add") is counted by itself,
  // over all calls of the module; an object type of several ops is for number
  // `order` of each.
  QConfigMapping& SetModuleNameObjectTypeOrder(const std::string& module_name,
                                               const std::string& object_type,
                                               int order,
                                               OptionalQConfig qconfig);

  // Returns a copy in which `change` has made something else of each qconfig
  // that is there.
  QConfigMapping With(const std::function<QConfig(QConfig)>& change) const;

  // Returns a copy without the settings that Rules() calls by these names.
  QConfigMapping Without(const std::vector<std::string>& rules) const;

  // Returns an error for a pattern that is not a regular expression, or is
  // longer than 1000 bytes.
  absl::Status Validate() const;

  // Returns what the mapping says of `target`. The mapping must be valid.
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

  // Returns all settings, the widest kind first: what QConfigChoice::rule calls
  // it, and its qconfig.
  std::vector<std::pair<std::string, OptionalQConfig>> Rules() const;

  bool operator==(const QConfigMapping& other) const;
  bool operator!=(const QConfigMapping& other) const {
    return !(*this == other);
  }

  // Returns one line for each setting: "object type 'linear': dynamic".
  std::string ToString() const;

 private:
  OptionalQConfig global_;
  Settings<std::string> object_types_;
  Settings<std::string> module_name_regexes_;
  Settings<std::string> module_names_;
  Settings<OrderKey> orders_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QCONFIG_QCONFIG_MAPPING_H_
