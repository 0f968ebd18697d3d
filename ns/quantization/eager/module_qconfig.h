// Says how each module of a hierarchy is to be quantized, by an attribute of
// the module that holds its qconfig as JSON.
#ifndef NS_QUANTIZATION_EAGER_MODULE_QCONFIG_H_
#define NS_QUANTIZATION_EAGER_MODULE_QCONFIG_H_

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/hierarchy/module_editor.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

// From the path of a module, "layer1.0.conv" and "" for the root, or the type
// of some modules, "Linear", to the qconfig of these modules and of those
// inside them. Without a qconfig, they stay in float. Of several types that
// name a module, the longest name decides.
using QConfigSpec = std::map<std::string, OptionalQConfig>;

// Returns the spec that says of modules what `mapping` says: its global qconfig
// for the root, and those of object types and module names. Error: settings for
// patterns and numbers of ops, which a hierarchy has not.
absl::StatusOr<QConfigSpec> SpecOf(const QConfigMapping& mapping);

// Returns what of `spec` decides for the module at `path`, as
// QConfigChoice::rule calls it: "global", "module name 'layer1'", "object type
// 'Linear'"; empty for nothing. `types` are those of the model's modules, by
// path (TypesByPath of ns/eager/module_tree.h).
std::string RuleFor(const QConfigSpec& spec,
                    const std::map<std::string, std::string>& types,
                    const std::string& path);

// The attribute.
inline constexpr char kQConfigAttribute[] = "ns_qconfig";

// Returns the qconfig of `module`; absent when it has none. Error: an attribute
// that holds something else.
absl::StatusOr<OptionalQConfig> QConfigOf(const torch::jit::Module& module);

// Gives the module at `path` a qconfig of its own (PyTorch's `module.qconfig =
// ...`); those inside it get it from PropagateQConfig. Error: no such module.
absl::Status SetQConfig(ModuleEditor& editor, absl::string_view path,
                        const OptionalQConfig& qconfig);

// Modules that get no qconfig, nor do those inside them: their names, without
// the path, and types (non_traceable_module_name and _class of PyTorch's
// prepare_custom_config_dict).
struct NonTraceable {
  std::vector<std::string> names;
  std::vector<std::string> types;
};

// Gives every module its qconfig (reference: propagate_qconfig_): its own one
// where SetQConfig has set it, or else that of its path in `spec`, or that of
// its type, or that of the module around it. Error: a path or type that the
// model does not have.
absl::Status PropagateQConfig(ModuleEditor& editor, const QConfigSpec& spec,
                              const NonTraceable& non_traceable = {});

// Removes all qconfigs.
absl::Status RemoveQConfigs(ModuleEditor& editor);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_MODULE_QCONFIG_H_
