#include "ns/accuracy/score_module.h"

#include <ATen/core/function_schema.h>
#include <ATen/core/grad_mode.h>

#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/deep_copy.h"
#include "ir/base/number_of.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/module_file.h"
#include "ns/batches/fit_value.h"

namespace ns {
namespace {

constexpr absl::string_view kWanted =
    "a score is a module with update(outputs, labels) and compute() -> float";

template <typename... Parts>
absl::Status Refused(const Parts&... parts) {
  return absl::InvalidArgumentError(OneLine(absl::StrCat(parts...)));
}

absl::StatusOr<const c10::FunctionSchema*> SchemaOf(
    const torch::jit::Module& module, const std::string& method) {
  const auto found = module.find_method(method);
  return found ? absl::StatusOr<const c10::FunctionSchema*>(
                     &found->function().getSchema())
               : Refused("it has no method '", method, "'; ", kWanted);
}

absl::Status OtherSignature(const c10::FunctionSchema& schema) {
  return Refused("its signature is ", c10::toString(schema), "; ", kWanted);
}

// How many arguments a method must be given, and may be, without the module.
struct Arity {
  size_t needed = 0;
  size_t positional = 0;
};

Arity ArityOf(const c10::FunctionSchema& schema) {
  Arity arity;
  for (size_t i = 1; i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    arity.needed += argument.default_value() ? 0 : 1;
    arity.positional += argument.kwarg_only() ? 0 : 1;
  }
  return arity;
}

// Returns whether update takes labels.
absl::StatusOr<bool> CheckMethods(const torch::jit::Module& module,
                                  bool has_labels) {
  NS_ASSIGN_OR_RETURN(const c10::FunctionSchema* update,
                      SchemaOf(module, "update"));
  const Arity arity = ArityOf(*update);
  if (arity.needed > 2 || arity.positional == 0 ||
      arity.needed > arity.positional) {
    return OtherSignature(*update);
  }
  if (arity.needed == 2 && !has_labels) {
    return Refused(
        "its update takes outputs and labels, and there are no labels; pass "
        "--labels=PATH");
  }
  NS_ASSIGN_OR_RETURN(const c10::FunctionSchema* compute,
                      SchemaOf(module, "compute"));
  if (ArityOf(*compute).needed > 0 || compute->returns().size() != 1 ||
      !MayBeNumber(*compute->returns()[0].type())) {
    return OtherSignature(*compute);
  }
  return has_labels && arity.positional >= 2;
}

}  // namespace

absl::StatusOr<ScoreModule> ScoreModule::Load(const std::string& path,
                                              bool has_labels) {
  NS_ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
  NS_ASSIGN_OR_RETURN(const bool takes_labels,
                      Annotated(path, CheckMethods(module, has_labels)));
  module.eval();
  return ScoreModule(path, module, takes_labels);
}

absl::Status ScoreModule::Update(const c10::IValue& outputs,
                                 const c10::IValue& labels) {
  const torch::jit::Method update = module_.get_method("update");
  const auto& declared = update.function().getSchema().arguments();
  std::vector<c10::IValue> given = {outputs};
  if (takes_labels_) {
    given.push_back(labels);
  }
  std::vector<c10::IValue> arguments;
  for (size_t i = 0; i < given.size(); ++i) {
    NS_ASSIGN_OR_RETURN(const c10::IValue copy,
                        Annotated(path_, CatchTorchErrors([&] {
                                    return DeepCopier().Copy(given[i]);
                                  })));
    const c10::Argument& argument = declared[i + 1];
    absl::StatusOr<c10::IValue> fit = FitValue(copy, argument.type());
    if (!fit.ok()) {
      return Refused(path_, ": its update cannot take ",
                     i == 0 ? "what the model returns" : "the labels", ": ",
                     argument.name(), " ", fit.status().message());
    }
    arguments.push_back(*std::move(fit));
  }
  return Annotated(path_, CatchTorchErrors("update fails", [&] {
                     const at::NoGradGuard no_gradients;
                     update(std::move(arguments));
                   }));
}

absl::StatusOr<double> ScoreModule::Compute() {
  return Annotated(path_, CatchTorchErrors("compute fails", [&] {
                     const at::NoGradGuard no_gradients;
                     return NumberOf(module_.get_method("compute")({}));
                   }));
}

}  // namespace ns
