// Records and reads the module that a node of a flat graph came from.
//
// Inlining a module hierarchy loses it, so InlineModules writes it into the
// Scope of every node, where it survives copying, freezing and most passes. Any
// name survives, whatever characters it has.
#ifndef IR_GRAPH_MODULE_PATH_H_
#define IR_GRAPH_MODULE_PATH_H_

#include <c10/util/intrusive_ptr.h>

#include <string>

#include "absl/strings/string_view.h"

namespace torch::jit {
struct Node;
struct Scope;
}  // namespace torch::jit

namespace ns {

// The module that a node came from. ModulePathOf returns views of interned
// text, which lives as long as the process.
struct ModulePath {
  // The attribute names from the root, joined by dots: "layer1.0.conv1". Empty
  // for code of the root module, and where nothing is known: `type` is empty
  // then, too.
  absl::string_view fqn;
  // How many calls of this module came before this one, in program order.
  int call_index = 0;
  // The qualified type without the "__torch__." prefix and mangling:
  // "torch.nn.modules.conv.Conv2d".
  absl::string_view type;

  bool operator==(const ModulePath& other) const {
    return fqn == other.fqn && call_index == other.call_index &&
           type == other.type;
  }
};

// Returns "layer1.0" for "layer1" and "0"; either may be empty.
std::string JoinPath(absl::string_view parent, absl::string_view name);

// Returns "fc", or "fc@1" for the second call: the key that tells calls apart.
std::string CallName(const ModulePath& path);

// Returns the path that is recorded in the scope of `node`; empty when none is.
ModulePath ModulePathOf(const torch::jit::Node& node);

// Returns a new child of the scope `parent`, which must not be null, that
// records `path`. Its fqn is from the root on: nothing is taken from `parent`.
c10::intrusive_ptr<torch::jit::Scope> ScopeFor(
    const ModulePath& path,
    const c10::intrusive_ptr<torch::jit::Scope>& parent);

// Returns "torch.nn.modules.conv.Conv2d" for
// "__torch__.torch.nn.modules.conv.___torch_mangle_7.Conv2d".
std::string UnmangledTypeName(const std::string& qualified_name);

// True when `name` names `type`, an unmangled type name: all of it or its last
// part, "torch.nn.modules.linear.Linear" or "Linear". PyTorch moved modules
// from torch.nn to torch.ao.nn (and torch.quantization likewise): either
// spelling names both.
bool IsTypeNamed(absl::string_view type, absl::string_view name);

// True for the type of a module that fusion made of several
// (torch.nn.intrinsic.ConvReLU2d): its parts are one layer.
bool IsFusedModule(absl::string_view type);

}  // namespace ns

#endif  // IR_GRAPH_MODULE_PATH_H_
