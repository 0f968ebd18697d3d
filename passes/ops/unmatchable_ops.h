// Ops that the user does not want to have matched.
#ifndef PASSES_OPS_UNMATCHABLE_OPS_H_
#define PASSES_OPS_UNMATCHABLE_OPS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/module_path.h"

namespace ns {

// What is never matched, besides what the op table says so of: casts, views,
// quantize and dequantize, observers, and what makes tensors from nothing
// (reference: unmatchable_types_map).
class UnmatchableOps {
 public:
  // Adds an operator, "aten::relu", its form in place included; a type of
  // modules, "my.package.Gate" or "Gate" (see IsTypeNamed), which stands for
  // all ops that the code of such modules calls itself and for calls of them
  // as leaves; or the name of a leaf function (ir/inline_modules.h). Error: an
  // operator that this process does not know, or an empty name.
  absl::Status Add(absl::string_view op);

  bool empty() const { return operators_.empty() && callees_.empty(); }

  // True for the op `op` in the module that `path` tells.
  bool Contains(absl::string_view op, const ModulePath& path) const;

  // The types and functions that were added, in order of their names.
  std::vector<std::string> Callees() const {
    return {callees_.begin(), callees_.end()};
  }

 private:
  // Without the underscore of forms in place.
  std::set<std::string, std::less<>> operators_;
  std::set<std::string> callees_;
};

}  // namespace ns

#endif  // PASSES_OPS_UNMATCHABLE_OPS_H_
