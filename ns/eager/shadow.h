// Runs a float module beside its quantized counterpart.
#ifndef NS_EAGER_SHADOW_H_
#define NS_EAGER_SHADOW_H_

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/eager/module_logger.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// A float module that is attached to a quantized model, with a logger. It
// refers to that model, which must outlive it and not be moved:
//
//   NS_ASSIGN_OR_RETURN(
//       ModuleLogger logger,
//       ModuleLogger::Attach(host, factory, info, /*arity=*/2, call));
//   NS_ASSIGN_OR_RETURN(
//       Shadow shadow, Shadow::Attach(host, float_module, std::move(logger)));
//   NS_RETURN_IF_ERROR(shadow.Follow(call));  // and for other calls of it
class Shadow {
 public:
  // Attaches a copy of `float_module` to `host` as attribute `ns_shadow_<n>`,
  // with the first n from 0 on that is free. The copy shares the tensors of
  // `float_module` and is in evaluation mode, whatever that one is in. `logger`
  // is attached to the same `host` and takes two tensors: the quantized output,
  // then the float one. Error: LibTorch cannot copy the module.
  static absl::StatusOr<Shadow> Attach(ModelGraph& host,
                                       const torch::jit::Module& float_module,
                                       ModuleLogger logger);

  // Makes the float module run whenever `call` does, a prim::CallMethod of the
  // host's graph that is a leaf call (see ir/inline_modules.h), and passes both
  // outputs to the logger. It gets copies in float of the tensors among the
  // arguments, and of lists, tuples and dicts that hold tensors:
  //
  //   %y = prim::CallMethod[name="forward"](%fc, %x)
  // becomes
  //   %copy = ns::float_copy(%x)
  //   %y = prim::CallMethod[name="forward"](%fc, %x)
  //   %shadow = prim::GetAttr[name="ns_shadow_0"](%self)
  //   %z = prim::CallMethod[name="forward"](%shadow, %copy)
  //   %logger = prim::GetAttr[name="ns_logger_0"](%self)
  //   %logged = prim::CallMethod[name="forward"](%logger, %y, %z)
  //
  // They are copied before the call: neither module can change a tensor that
  // the other gets, though it works in place. Other arguments, as a list of
  // numbers or an object, are passed to both.
  //
  // It calls the float module's method of the same name, if that takes
  // arguments of these types in this order. Otherwise, where the name is
  // `forward` or begins with `forward_`, it calls the first method with such a
  // name that takes them: TorchScript compiles overloads of forward as
  // `forward__0`, `forward__1` and so on, and the two LSTMs of PyTorch call
  // theirs differently. Arguments that only the float module has get their
  // defaults, and None for one that it lacks is dropped.
  //
  // May be called for several calls of the module; the logger sees all of them.
  // Error: no method takes the arguments (the graph is then unchanged), a
  // default cannot be a constant of a graph, or the output of `call` or of the
  // method has no tensors.
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
