// Attaches loggers to the calls of one module.
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

// Describes the logger of the module at `callee`, in the model called
// `model_name`.
LoggerInfo ModuleLoggerInfo(const ModulePath& callee,
                            const std::string& model_name);

// The loggers of one module, one for each tensor that it returns. It must not
// outlive the model that it is attached to.
class ModuleLogger {
 public:
  // Attaches the loggers that `factory` makes to `host` (see AttachLogger).
  // Each will be called with `arity` tensors. There is one for each of
  // OutputTensors(*call), where `call` is a leaf call of the module, or just
  // one for a null call. `info` describes the first.
  //
  // Error: what the factory returns, or a logger whose `forward` takes anything
  // else.
  static absl::StatusOr<ModuleLogger> Attach(
      ModelGraph& host, const LoggerFactory& factory, const LoggerInfo& info,
      size_t arity, const torch::jit::Node* call = nullptr);

  // Calls the loggers in front of `place`: the first with the first tensor of
  // each of `values`, which are as many as its arity, the second with the
  // second ones, and so on as long as each value has a tensor (see TensorIn).
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
  // The loggers' attributes, by the index of the tensor that is logged.
  std::vector<std::string> attributes_;
};

}  // namespace ns

#endif  // NS_EAGER_MODULE_LOGGER_H_
