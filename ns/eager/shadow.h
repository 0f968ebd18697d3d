// Runs a float module beside its quantized counterpart.
#ifndef NS_EAGER_SHADOW_H_
#define NS_EAGER_SHADOW_H_

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/eager/module_logger.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// A float module that is attached to a quantized model, the host, with a
// logger. The object keeps a pointer to the host, which must outlive it and not
// be moved:
//   NS_ASSIGN_OR_RETURN(
//       ModuleLogger logger,
//       ModuleLogger::Attach(host, factory, info, /*arity=*/2, call));
//   NS_ASSIGN_OR_RETURN(
//       Shadow shadow, Shadow::Attach(host, float_module, std::move(logger)));
//   NS_RETURN_IF_ERROR(shadow.Follow(call));  // and for other calls of it
class Shadow {
 public:
  // Attaches a copy of `float_module` to `host` as the attribute
  // `ns_shadow_<n>`, with the lowest n from 0 on that is free. The copy shares
  // the tensors of `float_module`. It is in evaluation mode, even if
  // `float_module` is not. `logger` must be attached to the same `host` and
  // take two tensors: the quantized output, then the float one. Error: LibTorch
  // cannot copy the module.
  static absl::StatusOr<Shadow> Attach(ModelGraph& host,
                                       const torch::jit::Module& float_module,
                                       ModuleLogger logger);

  // Makes the float module run whenever `call` does, and passes both outputs to
  // the logger. `call` is a prim::CallMethod of the host's graph that was not
  // inlined (a leaf call, see ir/flatten/inline_modules.h). The float module
  // gets float copies of the arguments that are tensors, or lists, tuples or
  // dicts with tensors:
  //   %y = prim::CallMethod[name="forward"](%fc, %x)
  // becomes
  //   %copy = ns::float_copy(%x)
  //   %y = prim::CallMethod[name="forward"](%fc, %x)
  //   %shadow = prim::GetAttr[name="ns_shadow_0"](%self)
  //   %z = prim::CallMethod[name="forward"](%shadow, %copy)
  //   %logger = prim::GetAttr[name="ns_logger_0"](%self)
  //   %logged = prim::CallMethod[name="forward"](%logger, %y, %z)
  //
  // The copies are made before `call`. So a module that works in place cannot
  // change what the other one gets. Both modules get the same object for other
  // arguments, such as a list of numbers.
  //
  // Which method of the float module runs:
  // - the one with the name that `call` has, if it takes these arguments;
  // - otherwise, if that name is one of forward, the first method with a name
  //   of forward that takes them (see IsForward in ns/eager/forward_calls.h).
  //
  // A method takes the arguments if their types fit in this order. It may have
  // more arguments, which get their defaults, and fewer, if `call` passes None
  // for the others.
  //
  // May be called for several calls of the module; the logger then sees all of
  // them. Error: no method takes the arguments (the graph is then unchanged), a
  // default cannot be a constant of a graph, or one of the two outputs has no
  // tensors.
  absl::Status Follow(torch::jit::Node* call) const;

 private:
  Shadow(ModelGraph& host, std::string attribute, ModuleLogger logger)
      : host_(&host),
        attribute_(std::move(attribute)),
        logger_(std::move(logger)) {}

  ModelGraph* host_;
  std::string attribute_;
  ModuleLogger logger_;
};

}  // namespace ns

#endif  // NS_EAGER_SHADOW_H_
