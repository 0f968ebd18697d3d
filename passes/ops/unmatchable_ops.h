// Keeps the ops that a user does not want to have matched.
#ifndef PASSES_OPS_UNMATCHABLE_OPS_H_
#define PASSES_OPS_UNMATCHABLE_OPS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/graph/module_path.h"

namespace ns {

// The ops that are not matched because the user says so (PyTorch's numeric
// suite: unmatchable_types_map). The op table has more that are never matched:
// casts, views, quantize and dequantize, observers, and ops that make tensors
// from nothing.
class UnmatchableOps {
 public:
  // Adds one of these:
  //  * an operator, "aten::relu", together with its in-place form; either name
  //    stands for both;
  //  * a type of modules, "my.package.Gate" or "Gate" (IsTypeNamed in
  //    ir/graph/module_path.h). It stands for all ops that the code of such a
  //    module calls, but not for those of modules inside it; and for calls of
  //    such modules where they are leaves (ir/flatten/inline_modules.h);
  //  * the name of a leaf function.
  // Error: an operator that this process does not know, or an empty name. Types
  // and functions are not checked: only the models tell whether they exist.
  absl::Status Add(absl::string_view op);

  bool empty() const { return operators_.empty() && callees_.empty(); }

  // True when `op`, which the module at `path` calls, is not to be matched. For
  // the call of a leaf, `op` is the type of the module or the name of the
  // function (OpName in ir/graph/node_view.h), and `path` what ModulePathOf
  // returns.
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
