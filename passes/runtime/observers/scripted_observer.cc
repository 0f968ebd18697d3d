#include "passes/runtime/observers/scripted_observer.h"

#include <ATen/ATen.h>
#include <ATen/core/function.h>
#include <ATen/core/jit_type.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace ns {
namespace {

using Object = c10::ivalue::Object;

// The attribute, or the constant of the class, that is called `name`.
std::optional<c10::IValue> FindAttribute(const Object& object,
                                         const std::string& name) {
  const auto type = object.type();
  if (type->hasAttribute(name)) {
    return object.getAttr(name);
  }
  if (type->hasConstant(name)) {
    return type->getConstant(name);
  }
  return std::nullopt;
}

// What is a number there: dtypes and schemes are, too.
std::optional<int64_t> FindInt(const Object& object, const std::string& name) {
  const std::optional<c10::IValue> found = FindAttribute(object, name);
  return found && found->isInt() ? std::optional(found->toInt()) : std::nullopt;
}

// The dtype with that number; Undefined where there is none.
at::ScalarType DtypeOf(int64_t number) {
  const bool is_one =
      number >= 0 && number < static_cast<int64_t>(at::ScalarType::NumOptions);
  return is_one ? static_cast<at::ScalarType>(number)
                : at::ScalarType::Undefined;
}

bool HasMethod(const Object& object, const std::string& name,
               const std::vector<c10::TypePtr>& arguments,
               const c10::TypePtr& result) {
  const torch::jit::Function* method = object.type()->findMethod(name);
  if (method == nullptr) {
    return false;
  }
  const c10::FunctionSchema& schema = method->getSchema();
  if (schema.arguments().size() != arguments.size() + 1 ||
      schema.returns().size() != 1) {
    return false;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i]->isSubtypeOf(*schema.arguments()[i + 1].type())) {
      return false;
    }
  }
  return schema.returns()[0].type()->isSubtypeOf(*result);
}

c10::IValue Call(const c10::intrusive_ptr<Object>& object,
                 const std::string& name,
                 const std::vector<c10::IValue>& arguments) {
  torch::jit::Stack stack = {c10::IValue(object)};
  stack.insert(stack.end(), arguments.begin(), arguments.end());
  return object->type()->getMethod(name)(std::move(stack));
}

}  // namespace

absl::StatusOr<ObserverPtr> MakeScriptedObserver(
    c10::intrusive_ptr<Object> object) {
  const auto refuse = [&](absl::string_view method) {
    return absl::InvalidArgumentError(absl::StrCat(
        "observer 'scripted': ", object->name(), " has no method ", method));
  };
  const c10::TypePtr tensor = c10::TensorType::get();
  if (!HasMethod(*object, "forward", {tensor}, tensor)) {
    return refuse("forward(Tensor) -> Tensor");
  }
  if (!HasMethod(*object, "calculate_qparams", {},
                 c10::TupleType::create({tensor, tensor}))) {
    return refuse("calculate_qparams() -> (Tensor, Tensor)");
  }
  ObserverConfig config = DefaultConfig(ObserverKind::kScripted);
  if (const auto dtype = FindInt(*object, "dtype")) {
    config.dtype = DtypeOf(*dtype);
  }
  if (const auto qscheme = FindInt(*object, "qscheme")) {
    config.qscheme = static_cast<at::QScheme>(*qscheme);
  }
  config.ch_axis = FindInt(*object, "ch_axis").value_or(0);
  config.quant_min = FindInt(*object, "quant_min");
  config.quant_max = FindInt(*object, "quant_max");
  const absl::Status status = Validate(config);
  if (!status.ok()) {
    return status;
  }
  return ObserverPtr(
      c10::make_intrusive<ScriptedObserver>(config, std::move(object)));
}

void ScriptedObserver::Observe(const at::Tensor& x) {
  Call(object_, "forward", {x});
}

TensorQParams ScriptedObserver::CalculateQParams() const {
  const auto qparams = Call(object_, "calculate_qparams", {}).toTuple();
  return {qparams->elements()[0].toTensor(), qparams->elements()[1].toTensor()};
}

void ScriptedObserver::Clear() {
  TORCH_CHECK(object_->type()->findMethod("reset_min_max_vals") != nullptr,
              Name(), ": ", object_->name(),
              " has no method reset_min_max_vals()");
  Call(object_, "reset_min_max_vals", {});
}

void ScriptedObserver::MergeSame(const Observer&) {
  TORCH_CHECK(false, Name(), " cannot be merged");
}

}  // namespace ns
