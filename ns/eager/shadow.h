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

// A float module that is attached to a quantized model, with a logger. It must
// not outlive that model.
class Shadow {
 public:
  // Attaches a copy of `float_module`, which shares its tensors, to `host` as
  // attribute `ns_shadow_<n>`. `logger` takes two tensors.
  static absl::StatusOr<Shadow> Attach(ModelGraph& host,
                                       const torch::jit::Module& float_module,
                                       ModuleLogger logger);

  // Makes the float module run whenever `call` does, a leaf call of the host's
  // graph (see ir/inline_modules.h), on copies in float of its arguments, and
  // passes both outputs to the logger:
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
  // The arguments are copied before the call: neither module can change what
  // the other gets, though it works in place.
  //
  // The float module's method is the one of the same name, or else the first
  // variant of `forward` that takes the arguments: the two LSTMs of PyTorch
  // call theirs differently. Arguments that only it has get their defaults, and
  // None for one that it lacks is dropped. Error: there is no such method, or
  // its output has no tensors.
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
