// Makes modules with hooks, as torch.jit.script makes them of modules with
// which hooks were registered.
#ifndef TESTS_TESTING_HOOKS_H_
#define TESTS_TESTING_HOOKS_H_

#include <torch/csrc/jit/api/module.h>

#include <string>

namespace ns {

// Gives the child `name` of `parent`, and all objects of its class, the hook
// that `source` defines, and lets `forward` of `parent` call it where it calls
// that of the child, which takes and returns a tensor:
//
//   AddPreHook("def clip(self, input: Tuple[Tensor]) -> Tuple[Tensor]:\n"
//              "  return (input[0].clamp(-1, 1),)\n", "fc", parent);
//   AddHook("def halve(self, input: Tuple[Tensor], output: Tensor)"
//           " -> Tensor:\n"
//           "  return output * 0.5\n", "fc", parent);
//
// Throws c10::Error when `source` does not compile to a new method.
void AddPreHook(const std::string& source, const std::string& name,
                torch::jit::Module& parent);
void AddHook(const std::string& source, const std::string& name,
             torch::jit::Module& parent);

// Lets `forward` of `parent` call, where it calls that of its child `name`, the
// hooks (not pre-hooks) that the class of the child has already, since AddHook
// gave them to another object of this class.
void CallHooks(const std::string& name, torch::jit::Module& parent);

}  // namespace ns

#endif  // TESTS_TESTING_HOOKS_H_
