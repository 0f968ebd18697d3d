// Loggers on the calls of one module.
#ifndef NS_EAGER_MODULE_LOGGER_H_
#define NS_EAGER_MODULE_LOGGER_H_

#include <string>
#include <vector>

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

// One logger for each tensor that the module gives. Must not outlive the model
// that it is attached to.
class ModuleLogger {
 public:
  // Hangs the loggers that `factory` makes on `host` (see AttachLogger), to be
  // called with `arity` tensors: one for each of OutputTensors(*call), a leaf
  // call of the module, or one for a null call. `info` is that of the first.
  //
  // Error: what the factory returns, or a logger whose `forward` takes anything
  // else.
  static absl::StatusOr<ModuleLogger> Attach(
      ModelGraph& host, const LoggerFactory& factory, const LoggerInfo& info,
      size_t arity, const torch::jit::Node* call = nullptr);

  // Calls the loggers in front of `place`: the first with the first tensors of
  // `values`, which are as many as its arity, the second with the second ones,
  // as far as all of them have any (see TensorIn).
  //
  //   %logger = prim::GetAttr[name="ns_logger_0"](%self)
  //   %logged = prim::CallMethod[name="forward"](%logger, %quantized, %float)
  //
  // Error: a value without tensors.
  absl::Status Call(absl::Span<torch::jit::Value* const> values,
                    torch::jit::Node* place) const;

 private:
  ModuleLogger(ModelGraph& host, std::string fqn,
               std::vector<std::string> attributes)
      : host_(&host),
        fqn_(std::move(fqn)),
        attributes_(std::move(attributes)) {}

  absl::Status CallOne(size_t index,
                       absl::Span<torch::jit::Value* const> values,
                       torch::jit::Node* place) const;

  ModelGraph* host_;
  std::string fqn_;
  // By the tensor that is logged.
  std::vector<std::string> attributes_;
};

}  // namespace ns

#endif  // NS_EAGER_MODULE_LOGGER_H_
