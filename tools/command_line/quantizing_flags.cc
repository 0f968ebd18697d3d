#include "tools/command_line/quantizing_flags.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/status.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/quantization/default_qconfigs.h"
#include "passes/runtime/observers/observer_names.h"

namespace ns {
namespace {

constexpr absl::string_view kObservers[] = {
    "mse",        "minmax",  "moving-average", "histogram",
    "percentile", "entropy", kAutoObserver};
constexpr absl::string_view kTargets[] = {"fbgemm-avx2", "fbgemm-vnni",
                                          "onednn", "qnnpack"};

absl::Status ParseTarget(const Flags& flags, QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(const std::string target,
                      flags.Choice("target", kTargets));
  if (!flags.Has("target")) {
    return absl::OkStatus();
  }
  const bool is_fbgemm = RunsOnFbgemm(options);
  const auto mode = kernels::FindSaturationMode(std::string_view(target));
  const absl::string_view backend = BackendName(options.backend);
  if (is_fbgemm != mode.has_value() || (!is_fbgemm && target != backend)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--target=", target, " is not one of --backend=", backend, "; use ",
        is_fbgemm ? "fbgemm-avx2 or fbgemm-vnni" : backend));
  }
  options.target = mode.value_or(options.target);
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
