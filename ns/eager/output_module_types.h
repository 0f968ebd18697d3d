// Lists the modules that the eager suite logs by default.
#ifndef NS_EAGER_OUTPUT_MODULE_TYPES_H_
#define NS_EAGER_OUTPUT_MODULE_TYPES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

// Returns qualified types, sorted, with "torch.nn" for "torch.ao.nn": the
// float, fused, fake-quantized and quantized modules that correspond. (In
// PyTorch's eager suite it is get_default_compare_output_module_list.)
absl::Span<const absl::string_view> DefaultOutputModuleTypes();

// True for modules that are never logged, listed or not: containers, and
// modules that compute nothing in one of the models. PyTorch's eager suite
// leaves them out as well.
bool IsNeverLogged(absl::string_view type);

}  // namespace ns

#endif  // NS_EAGER_OUTPUT_MODULE_TYPES_H_
