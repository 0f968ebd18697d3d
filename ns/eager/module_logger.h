// A logger on the calls of one module.
#ifndef NS_EAGER_MODULE_LOGGER_H_
#define NS_EAGER_MODULE_LOGGER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model_graph.h"
#include "ir/module_path.h"
#include "passes/instrument/logger_info.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// What is known of the logger of the module that `callee` tells, in the model
// called `model_name`.
LoggerInfo ModuleLoggerInfo(const ModulePath& callee,
                            const std::string& model_name);

// Must not outlive the model that it is attached to.
class ModuleLogger {
 public:
  // Hangs the logger that `factory` makes for `info` on `host` (see
  // AttachLogger), to be called with `arity` tensors.
  //
  // Error: what the factory returns, or a logger whose `forward` takes anything
  // else.
  static absl::StatusOr<ModuleLogger> Attach(ModelGraph& host,
                                             const LoggerFactory& factory,
                                             const LoggerInfo& info,
                                             size_t arity);

  // Calls the logger in front of `place` with the first tensors (see
  // FirstTensor) of `values`, as many as its arity:
  //
  //   %logger = prim::GetAttr[name="ns_logger_0"](%self)
  //   %logged = prim::CallMethod[name="forward"](%logger, %quantized, %float)
  absl::Status Call(absl::Span<torch::jit::Value* const> values,
                    torch::jit::Node* place) const;

 private:
  ModuleLogger(ModelGraph& host, std::string fqn, std::string attribute)
      : host_(&host), fqn_(std::move(fqn)), attribute_(std::move(attribute)) {}

  ModelGraph* host_;
  std::string fqn_;
  std::string attribute_;
};

}  // namespace ns

#endif  // NS_EAGER_MODULE_LOGGER_H_
