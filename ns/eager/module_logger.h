// Attaches loggers to the calls of one module.
#ifndef NS_EAGER_MODULE_LOGGER_H_
#define NS_EAGER_MODULE_LOGGER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph/module_path.h"
#include "ir/model/model_graph.h"
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

// The loggers of one module, one for each tensor that it returns. It points to
// the ModelGraph that it is attached to, which must outlive it and must not be
// moved.
class ModuleLogger {
 public:
  // Attaches the loggers that `factory` makes to `host` (see AttachLogger). The
  // method `forward` of each takes `arity` tensors: one, or two to compare.
  // `call` is a call of the module that was not inlined (IsLeafCall): there is
  // one logger for each tensor that it returns, and one where it returns none.
  // For null there is one. `info` describes the first logger; the others differ
  // in the index and the name of the output.
  //
  // Error: what the factory returns, or a logger whose `forward` takes anything
  // else. Loggers before it are then attached.
  static absl::StatusOr<ModuleLogger> Attach(
      ModelGraph& host, const LoggerFactory& factory, const LoggerInfo& info,
      size_t arity, const torch::jit::Node* call = nullptr);

  // Inserts calls of the loggers in front of `place`. `values` are as many as
  // the arity; each is a tensor, or a tuple or list of tensors. The first
  // logger is called with the first tensor of each value, the second with the
  // second ones (see TensorIn), and so on until the loggers or the tensors of a
  // value end.
  //
  //   %logger = prim::GetAttr[name="ns_logger_0"](%self)
  //   %logged = prim::CallMethod[name="forward"](%logger, %quantized, %float)
  //
  // Error: a value that is not known to hold a tensor.
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
