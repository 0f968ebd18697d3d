#include "ns/suite/user_metrics.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/number_of.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/module_file.h"

namespace ns {
namespace {

absl::Status CheckSignature(const torch::jit::Module& module) {
  constexpr absl::string_view kWanted =
      "a metric is a module with forward(float: Tensor, quantized: Tensor) -> "
      "float";
  const auto method = module.find_method("forward");
  if (!method) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has no method 'forward'; ", kWanted));
  }
  const c10::FunctionSchema& schema = method->function().getSchema();
  const auto& arguments = schema.arguments();
  bool fits = arguments.size() >= 3 && schema.returns().size() == 1;
  for (size_t i = 1; fits && i < arguments.size(); ++i) {
    fits = i < 3 ? c10::TensorType::get()->isSubtypeOf(*arguments[i].type())
                 : arguments[i].default_value().has_value();
  }
  if (fits) {
    fits = MayBeNumber(*schema.returns()[0].type());
  }
  return fits ? absl::OkStatus()
              : absl::InvalidArgumentError(absl::StrCat(
                    "its signature is ", c10::toString(schema), "; ", kWanted));
}

}  // namespace

absl::StatusOr<UserMetric> LoadUserMetric(absl::string_view name,
                                          absl::string_view path) {
  NS_ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
  NS_RETURN_IF_ERROR(Annotated(path, CheckSignature(module)));
  module.eval();
  UserMetric metric;
  metric.name = std::string(name);
  metric.value = [module = std::move(module), path = std::string(path)](
                     const at::Tensor& x,
                     const at::Tensor& y) mutable -> absl::StatusOr<double> {
    return Annotated(path, CatchTorchErrors("it fails", [&] {
                       const at::NoGradGuard no_gradients;
                       return NumberOf(module.forward({x, y}));
                     }));
  };
  return metric;
}

}  // namespace ns
