#include "ns/eager/module_logger.h"

#include <torch/csrc/jit/ir/ir.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "ns/eager/first_tensor.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

absl::Status CheckForward(const c10::IValue& logger, size_t arity) {
  if (!logger.isObject()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a logger must be an object, and the factory made a ",
                     logger.tagKind()));
  }
  const c10::ClassTypePtr type = logger.toObject()->type();
  const torch::jit::Function* forward = type->findMethod("forward");
  if (forward == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "logger ", LoggerTypeName(*type), " has no method 'forward'"));
  }
  const auto& arguments = forward->getSchema().arguments();
  bool fits = arguments.size() == arity + 1;
  for (size_t i = 1; fits && i < arguments.size(); ++i) {
    fits = c10::TensorType::get()->isSubtypeOf(*arguments[i].type());
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'forward' of logger ", LoggerTypeName(*type), " must take ",
        arity == 1 ? "one Tensor" : "two Tensors, quantized and float",
        "; it is ", c10::toString(forward->getSchema())));
  }
  return absl::OkStatus();
}

}  // namespace

LoggerInfo ModuleLoggerInfo(const ModulePath& callee,
                            const std::string& model_name) {
  LoggerInfo info;
  info.layer = std::string(callee.fqn);
  info.type = kNodeOutputResult;
  info.model_name = model_name;
  info.ref_node_name = info.prev_node_name = info.layer;
  info.ref_node_target_type = info.prev_node_target_type =
      std::string(callee.type);
  info.fqn = info.layer;
  return info;
}

absl::StatusOr<ModuleLogger> ModuleLogger::Attach(ModelGraph& host,
                                                  const LoggerFactory& factory,
                                                  const LoggerInfo& info,
                                                  size_t arity) {
  NS_ASSIGN_OR_RETURN(const c10::IValue logger, factory(info));
  NS_RETURN_IF_ERROR(CheckForward(logger, arity));
  NS_ASSIGN_OR_RETURN(
      std::string attribute,
      CatchTorchErrors(absl::StrCat("attaching the logger of '", info.fqn, "'"),
                       [&] {
                         return AttachLogger(host.module(), {logger, info});
                       }));
  return ModuleLogger(host, info.fqn, std::move(attribute));
}

absl::Status ModuleLogger::Call(absl::Span<Value* const> values,
                                Node* place) const {
  std::vector<Value*> arguments = {nullptr};
  for (Value* value : values) {
    absl::StatusOr<Value*> tensor = FirstTensor(value, place);
    if (!tensor.ok()) {
      return absl::Status(
          tensor.status().code(),
          absl::StrCat("module '", fqn_, "': ", tensor.status().message()));
    }
    arguments.push_back(*tensor);
  }
  return CatchTorchErrors(absl::StrCat("logging '", fqn_, "'"), [&] {
    Graph& graph = host_->graph();
    torch::jit::WithInsertPoint at(place);
    Value* logger = graph.insertGetAttr(graph.inputs()[0], attribute_);
    arguments[0] = logger;
    Node* call =
        graph.insertNode(graph.create(c10::prim::CallMethod, arguments));
    call->s_(c10::attr::name, "forward");
    const auto& returns = logger->type()
                              ->expect<c10::ClassType>()
                              ->getMethod("forward")
                              .getSchema()
                              .returns();
    call->output()->setType(returns.empty() ? c10::NoneType::get()
                                            : returns[0].type());
  });
}

}  // namespace ns
