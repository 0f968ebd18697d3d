// Lists the modules that the eager suite logs by default.
#ifndef NS_EAGER_OUTPUT_MODULE_TYPES_H_
#define NS_EAGER_OUTPUT_MODULE_TYPES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

// Returns type names, sorted, as "torch.nn.modules.conv.Conv2d": of the float,
// fused, fake-quantized and quantized modules that correspond. They have
// "torch.nn" for "torch.ao.nn": compare them by IsTypeNamed
// (ir/graph/module_path.h), which takes both. (PyTorch's
// get_default_compare_output_module_list has these, and those of IsNeverLogged,
// which its eager suite leaves out.)
absl::Span<const absl::string_view> DefaultOutputModuleTypes();

// True for modules that are never logged, listed or not: Sequential, which
// holds others; Dropout, DeQuantStub and Identity, which compute nothing in one
// of the models. An Identity stands where another module was fused away.
bool IsNeverLogged(absl::string_view type);

}  // namespace ns

#endif  // NS_EAGER_OUTPUT_MODULE_TYPES_H_
