#include "tools/command_line/quantizing_flags.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/status.h"
#include "passes/quantization/default_qconfigs.h"
#include "passes/quantization/quantization_target.h"
#include "passes/runtime/observers/observer_names.h"

namespace ns {
namespace {

constexpr absl::string_view kObservers[] = {
    "mse",        "minmax",  "moving-average", "histogram",
    "percentile", "entropy", kAutoObserver};
constexpr absl::string_view kTargets[] = {"fbgemm-avx2", "fbgemm-vnni",
                                          "onednn", "onednn-avx2", "qnnpack"};

// The target that `name`, one of kTargets, is for `backend`.
absl::StatusOr<QuantizationTarget> TargetNamed(absl::string_view name,
                                               Backend backend) {
  std::map<absl::string_view, QuantizationTarget> targets;
  switch (backend) {
    case Backend::kFbgemm:
    case Backend::kX86:
      targets = {{"fbgemm-avx2", QuantizationTarget::kFbgemmAvx2},
                 {"fbgemm-vnni", QuantizationTarget::kFbgemmVnni}};
      break;
    case Backend::kOnednn:
      targets = {{"onednn", QuantizationTarget::kExact},
                 {"onednn-avx2", QuantizationTarget::kOneDnnAvx2}};
      break;
    case Backend::kQnnpack:
      targets = {{"qnnpack", QuantizationTarget::kExact}};
      break;
  }
  if (const auto found = targets.find(name); found != targets.end()) {
    return found->second;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--target=", name, " is not one of --backend=", BackendName(backend),
      "; use ",
      absl::StrJoin(targets, " or ", [](std::string* text, const auto& target) {
        absl::StrAppend(text, target.first);
      })));
}

absl::Status ParseTarget(const Flags& flags, QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(const std::string target,
                      flags.Choice("target", kTargets));
  if (!flags.Has("target")) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(options.target, TargetNamed(target, options.backend));
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseQuantizing(const Flags& flags, QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(const std::string backend,
                      flags.Choice("backend", BackendNames()));
  NS_ASSIGN_OR_RETURN(options.backend, BackendNamed(backend));
  NS_ASSIGN_OR_RETURN(const std::string observer,
                      flags.Choice("observer", kObservers));
  options.choose_observers = observer == kAutoObserver;
  options.observer = options.choose_observers ? ObserverKind::kMse
                                              : *FindObserverKind(observer);
  NS_RETURN_IF_ERROR(ParseTarget(flags, options));
  NS_ASSIGN_OR_RETURN(options.keep, flags.List("keep"));
  return absl::OkStatus();
}

}  // namespace ns
