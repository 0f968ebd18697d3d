#include "passes/runtime/loggers/shadow_guard.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

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

}  // namespace

std::optional<Tensors> ShadowGuard::Run(
    const c10::IValue& self, const std::string& method,
    const std::vector<c10::IValue>& arguments) {
  if (HasFailed()) {
    return std::nullopt;
  }
  const absl::StatusOr<Tensors> outputs = CatchTorchErrors([&] {
    const c10::ClassTypePtr type = self.toObjectRef().type();
    if (type != type_ || function_->name() != method) {
      auto* found = type->findMethod(method);
      TORCH_CHECK(found != nullptr, "the module has no method '", method, "'");
      function_ = found;
      type_ = type;
    }
    std::vector<c10::IValue> stack = {self};
    stack.insert(stack.end(), arguments.begin(), arguments.end());
    return (*function_)(std::move(stack)).toTensorVector();
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
