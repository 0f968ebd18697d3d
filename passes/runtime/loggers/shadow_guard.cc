#include "passes/runtime/loggers/shadow_guard.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <string>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

using Tensors = std::vector<at::Tensor>;
// The state is (layer, reason).
using State = std::tuple<std::string, std::string>;

torch::class_<ShadowGuard> Register() {
  torch::class_<ShadowGuard> registered("ns", "ShadowGuard");
  registered.def(torch::init<std::string>())
      .def("begin", [](const ShadowGuardPtr&) {})
      // The run has reached the end, so the shadow did not fail.
      .def("end", [](const ShadowGuardPtr&) { return true; })
      .def("layer", [](const ShadowGuardPtr& self) { return self->layer(); })
      .def("reason", [](const ShadowGuardPtr& self) { return self->reason(); })
      .def("clear", [](const ShadowGuardPtr& self) { self->Clear(); })
      .def_pickle(
          [](const ShadowGuardPtr& self) {
            return State(self->layer(), self->reason());
          },
          [](const State& state) {
            return c10::make_intrusive<ShadowGuard>(std::get<0>(state),
                                                    std::get<1>(state));
          });
  return registered;
}

const auto kRegistration = Register();

// Runs the operator. Its inputs, and their number on top of them, are on
// `stack`.
void RunShadow(torch::jit::Stack& stack) {
  constexpr size_t kFixedInputs = 4;
  const auto count = static_cast<size_t>(torch::jit::pop(stack).toInt());
  TORCH_CHECK(count >= kFixedInputs, "ns::run_shadow takes ", kFixedInputs,
              " inputs or more, not ", count);
  std::vector<c10::IValue> inputs = torch::jit::pop(stack, count);
  const auto guard = inputs[0].toCustomClass<ShadowGuard>();
  const auto outputs = static_cast<size_t>(inputs[3].toInt());
  std::optional<Tensors> made =
      guard->Run(inputs[1], inputs[2].toStringRef(),
                 {inputs.begin() + kFixedInputs, inputs.end()});
  torch::jit::push(stack, made.has_value());
  torch::jit::push(stack,
                   made ? *std::move(made) : Tensors(outputs, at::empty({0})));
}

const torch::jit::RegisterOperators kOperator({
    torch::jit::Operator(
        "ns::run_shadow(Any guard, Any self, str method, int outputs, ...) -> "
        "(bool made, Tensor[] tensors)",
        RunShadow, c10::AliasAnalysisKind::CONSERVATIVE),
});

// Whether the values on `stack` have the types of the inputs of `graph`. The
// first input, the module, is not looked at: its type takes time in the number
// of attributes of the model.
bool HaveInputTypes(const torch::jit::Stack& stack,
                    const torch::jit::Graph& graph) {
  const auto inputs = graph.inputs();
  if (stack.size() != inputs.size()) {
    return false;
  }
  for (size_t i = 1; i < stack.size(); ++i) {
    const c10::TypePtr& type = inputs[i]->type();
    const bool is_tensor = type->kind() == c10::TypeKind::TensorType;
    if (is_tensor ? !stack[i].isTensor()
                  : !stack[i].type()->isSubtypeOf(*type)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void ShadowGuard::Find(const c10::ClassTypePtr& type,
                       const std::string& method) {
  if (type == type_ && function_->name() == method) {
    return;
  }
  auto* found = type->findMethod(method);
  TORCH_CHECK(found != nullptr, "the module has no method '", method, "'");
  function_ = found;
  type_ = type;
  code_ = {};
}

void ShadowGuard::RunCode(torch::jit::Stack& stack) {
  if (!code_) {
    code_ = torch::jit::Code(torch::jit::toGraphFunction(*function_).graph(),
                             function_->name());
  }
  torch::jit::InterpreterState(code_).run(stack);
}

std::optional<Tensors> ShadowGuard::Run(
    const c10::IValue& self, const std::string& method,
    const std::vector<c10::IValue>& arguments) {
  if (HasFailed()) {
    return std::nullopt;
  }
  const absl::StatusOr<Tensors> outputs = CatchTorchErrors([&] {
    Find(self.toObjectRef().type(), method);
    torch::jit::Stack stack = {self};
    stack.insert(stack.end(), arguments.begin(), arguments.end());
    // A function makes a schema and copies of its graph before it runs, in time
    // that grows with the attributes of the module: for all shadows, with the
    // square of the number of layers. Only optimizing needs that.
    const torch::jit::GraphFunction* graph_function =
        torch::jit::tryToGraphFunction(*function_);
    if (torch::jit::getGraphExecutorOptimize() || graph_function == nullptr ||
        !HaveInputTypes(stack, *graph_function->graph())) {
      return (*function_)(std::move(stack)).toTensorVector();
    }
    RunCode(stack);
    return torch::jit::pop(stack).toTensorVector();
  });
  if (outputs.ok()) {
    return *outputs;
  }
  reason_ = absl::StrCat(
      "its float subgraph fails on values of the quantized model: ",
      outputs.status().message());
  return std::nullopt;
}

}  // namespace ns
