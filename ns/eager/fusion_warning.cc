#include "ns/eager/fusion_warning.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/graph/module_path.h"

namespace ns {

void FusionWarning::Add(absl::string_view name, const std::string& float_type,
                        const std::string& quantized_type) {
  if (IsFusedModule(quantized_type) && !IsFusedModule(float_type)) {
    names_.emplace_back(name);
  }
}

std::string FusionWarning::Text() const {
  return names_.empty()
             ? ""
             : absl::StrCat(
                   "fused in the quantized model and not in the float one: ",
                   absl::StrJoin(names_, ", "),
                   "; fuse the float model first, as "
                   "torch.ao.quantization.fuse_modules does");
}

}  // namespace ns
