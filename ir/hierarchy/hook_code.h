// Checks what is hooked to modules, and the code that uses it.
#ifndef IR_HIERARCHY_HOOK_CODE_H_
#define IR_HIERARCHY_HOOK_CODE_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns an error unless `object` has a method forward(Tensor) -> Tensor.
absl::Status CheckHook(const c10::IValue& object);

// Returns the reads of the attribute `name` of the modules `hooked`, with their
// paths, in their own methods: each prim::GetAttr there, whose output is used
// for calls of `forward` with one value alone, as ModuleEditor::HookOutput
// makes them. Each class below `root` must be of one module, as in a
// ModuleEditor. Error: code of `root` or of a module below that uses such an
// attribute in another way, or in another place; the message names both
// modules.
absl::StatusOr<std::vector<torch::jit::Node*>> ReadsOfHooks(
    const torch::jit::Module& root,
    const std::vector<std::pair<std::string, torch::jit::Module>>& hooked,
    const std::string& name);

}  // namespace ns

#endif  // IR_HIERARCHY_HOOK_CODE_H_
