#include "ns/n_shadows/candidate_logger.h"

#include <torch/csrc/jit/api/object.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "passes/runtime/loggers/output_comparison_logger.h"
#include "passes/runtime/loggers/output_logger.h"

namespace ns {
namespace {

absl::Status CheckSwitches(const c10::ClassType& type) {
  const torch::jit::Function* is_enabled = type.findMethod("is_enabled");
  const torch::jit::Function* set_enabled = type.findMethod("set_enabled");
  const bool fits = is_enabled != nullptr && set_enabled != nullptr &&
                    is_enabled->getSchema().arguments().size() == 1 &&
                    is_enabled->getSchema().returns().size() == 1 &&
                    is_enabled->getSchema().returns()[0].type()->kind() ==
                        c10::TypeKind::BoolType &&
                    set_enabled->getSchema().arguments().size() == 2 &&
                    set_enabled->getSchema().arguments()[1].type()->kind() ==
                        c10::TypeKind::BoolType;
  return fits ? absl::OkStatus()
              : absl::InvalidArgumentError(absl::StrCat(
                    "logger ", LoggerTypeName(type),
                    " of a candidate must have methods is_enabled() -> bool "
                    "and set_enabled(bool)"));
}

}  // namespace

absl::StatusOr<c10::IValue> MakeCandidateLogger(const LoggerFactory& factory,
                                                const LoggerInfo& info) {
  if (!factory) {
    auto logger = c10::make_intrusive<OutputComparisonLogger>();
    logger->SetEnabled(false);
    return c10::IValue(std::move(logger));
  }
  NS_ASSIGN_OR_RETURN(c10::IValue logger, factory(info));
  NS_RETURN_IF_ERROR(CheckLogger(logger, /*arity=*/2));
  NS_RETURN_IF_ERROR(CheckSwitches(*logger.toObject()->type()));
  NS_RETURN_IF_ERROR(CatchTorchErrors("disabling a logger", [&] {
    torch::jit::Object(logger.toObject()).get_method("set_enabled")({false});
  }));
  return logger;
}

c10::IValue MakeFloatLogger() {
  auto logger = c10::make_intrusive<OutputLogger>();
  logger->SetEnabled(false);
  logger->SetSaveActivations(false);
  return c10::IValue(std::move(logger));
}

}  // namespace ns
