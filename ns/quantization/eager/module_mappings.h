// Says which quantized module takes the place of which float one, as PyTorch
// 1.13 does (torch/ao/quantization/quantization_mappings.py).
#ifndef NS_QUANTIZATION_EAGER_MODULE_MAPPINGS_H_
#define NS_QUANTIZATION_EAGER_MODULE_MAPPINGS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

// Maps types of modules to the types of the modules that take their place. A
// key may be the whole name of a type, "torch.nn.modules.linear.Linear", or its
// last part, "Linear"; see IsTypeNamed (ir/graph/module_path.h).
using ModuleMapping = std::map<std::string, std::string>;

// The 45 types that `Convert` replaces by quantized ones, with the ranges that
// were observed. PyTorch's modules for quantization-aware training are among
// them.
const ModuleMapping& GetDefaultStaticQuantModuleMappings();

// The 14 types that `PrepareQat` replaces by modules for quantization-aware
// training.
const ModuleMapping& GetDefaultQatModuleMappings();

// The default QAT and static mappings above, with entries for Embedding and
// EmbeddingBag added. To train embeddings, too, pass the first to `PrepareQat`
// and the second to `Convert`.
const ModuleMapping& GetEmbeddingQatModuleMappings();
const ModuleMapping& GetEmbeddingStaticQuantModuleMappings();

// The 11 types that `QuantizeDynamicModules` replaces by quantized ones.
const ModuleMapping& GetDefaultDynamicQuantModuleMappings();

// Returns the type that takes the place of `type`, an unmangled type name, by
// `mapping`; empty if there is none. If several keys name `type`, the one that
// equals it counts, then its whole name in the other spelling, then its last
// part. The result points into `mapping`.
absl::string_view MappedType(const ModuleMapping& mapping,
                             absl::string_view type);

// Returns the 59 types of modules that `Prepare` observes where they have a
// qconfig: the keys of the default static, QAT and dynamic mappings, and
// Sequential.
std::vector<std::string> GetDefaultQConfigPropagationList();

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_MODULE_MAPPINGS_H_
