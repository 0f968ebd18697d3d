// Says which quantized module takes the place of which float one, as PyTorch
// 1.13 does (torch/ao/quantization/quantization_mappings.py).
#ifndef NS_QUANTIZATION_EAGER_MODULE_MAPPINGS_H_
#define NS_QUANTIZATION_EAGER_MODULE_MAPPINGS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

// From the types of modules to the types that take their place. A key may be
// the whole name of a type, "torch.nn.modules.linear.Linear", or its last part;
// see IsTypeNamed (ir/module_path.h).
using ModuleMapping = std::map<std::string, std::string>;

// The 45 modules that `Convert` quantizes with what was observed, among them
// PyTorch's modules for training.
const ModuleMapping& GetDefaultStaticQuantModuleMappings();

// The 14 modules that `PrepareQat` replaces by modules for training.
const ModuleMapping& GetDefaultQatModuleMappings();

// The two mappings with embeddings, which are trained where these are given to
// `PrepareQat` and `Convert`.
const ModuleMapping& GetEmbeddingQatModuleMappings();
const ModuleMapping& GetEmbeddingStaticQuantModuleMappings();

// The 11 modules that `QuantizeDynamic` quantizes.
const ModuleMapping& GetDefaultDynamicQuantModuleMappings();

// Returns the type that `mapping` has for `type`; empty for none.
absl::string_view MappedType(const ModuleMapping& mapping,
                             absl::string_view type);

// The 59 types of modules that `Prepare` observes where they have a qconfig:
// the keys of the three mappings, and Sequential.
std::vector<std::string> GetDefaultQConfigPropagationList();

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_MODULE_MAPPINGS_H_
