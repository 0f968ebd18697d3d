// Keeps the ops that a user does not want to have matched.
#ifndef PASSES_OPS_UNMATCHABLE_OPS_H_
#define PASSES_OPS_UNMATCHABLE_OPS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/module_path.h"

namespace ns {

// The ops that are not matched because the user says so (PyTorch's numeric
// suite: unmatchable_types_map). The op table has more that are never matched:
// casts, views, quantize and dequantize, observers, and ops that make tensors
// from nothing.
class UnmatchableOps {
 public:
  // Adds one of these:
  //  * an operator, "aten::relu", which stands for its in-place form, too;
  //  * a type of modules, "my.package.Gate" or "Gate" (see IsTypeNamed), which
  //    stands for all ops that the code of such modules calls itself and for
  //    calls of them as leaves;
  //  * the name of a leaf function (ir/inline_modules.h).
  // Error: an operator that this process does not know, or an empty name.
  absl::Status Add(absl::string_view op);

  bool empty() const { return operators_.empty() && callees_.empty(); }

  // True for the op `op` in the module at `path`.
  bool Contains(absl::string_view op, const ModulePath& path) const;

  // Returns the types and functions that were added, in order of their names.
  std::vector<std::string> Callees() const {
    return {callees_.begin(), callees_.end()};
  }

 private:
  // Operators, without the underscore of in-place forms.
  std::set<std::string, std::less<>> operators_;
  // Types of modules, and functions.
  std::set<std::string> callees_;
};

}  // namespace ns

#endif  // PASSES_OPS_UNMATCHABLE_OPS_H_
