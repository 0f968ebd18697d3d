#include "tools/flags/quantizing_flags.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/quantization_target.h"
#include "passes/runtime/observers/observer_names.h"

namespace ns {
namespace {

constexpr absl::string_view kObservers[] = {
    "mse",        "minmax",  "moving-average", "histogram",
    "percentile", "entropy", kAutoObserver};

struct NamedTarget {
  absl::string_view name;
  // kFbgemm stands for kX86, too.
  Backend backend;
  QuantizationTarget target;
};
constexpr NamedTarget kTargets[] = {
    {"fbgemm-avx2", Backend::kFbgemm, QuantizationTarget::kFbgemmAvx2},
    {"fbgemm-vnni", Backend::kFbgemm, QuantizationTarget::kFbgemmVnni},
    {"ns", Backend::kFbgemm, QuantizationTarget::kNs},
    {"onednn", Backend::kOnednn, QuantizationTarget::kExact},
    {"onednn-avx2", Backend::kOnednn, QuantizationTarget::kOneDnnAvx2},
    {"qnnpack", Backend::kQnnpack, QuantizationTarget::kExact},
};

absl::Status ParseTarget(const Flags& flags, QuantizeOptions& options) {
  const Backend backend =
      RunsOnFbgemm(options) ? Backend::kFbgemm : options.backend;
  std::vector<absl::string_view> names;
  std::vector<absl::string_view> of_backend;
  for (const NamedTarget& named : kTargets) {
    names.push_back(named.name);
    if (named.backend == backend) {
      of_backend.push_back(named.name);
    }
  }
  NS_ASSIGN_OR_RETURN(const std::string target, flags.Choice("target", names));
  if (!flags.Has("target")) {
    return absl::OkStatus();
  }
  for (const NamedTarget& named : kTargets) {
    if (named.name == target && named.backend == backend) {
      options.target = named.target;
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--target=", target,
                   " is not one of --backend=", BackendName(options.backend),
                   "; use ", absl::StrJoin(of_backend, " or ")));
}

}  // namespace

absl::Status ParseQuantizing(const Flags& flags, QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(const std::string backend,
                      flags.Choice("backend", BackendNames()));
  NS_ASSIGN_OR_RETURN(options.backend, BackendNamed(backend));
  NS_ASSIGN_OR_RETURN(const std::string observer,
                      flags.Choice("observer", kObservers));
  options.methods.choose_observers = observer == kAutoObserver;
  options.observer = options.methods.choose_observers
                         ? ObserverKind::kMse
                         : *FindObserverKind(observer);
  NS_RETURN_IF_ERROR(ParseTarget(flags, options));
  NS_ASSIGN_OR_RETURN(options.keep, flags.List("keep"));
  return absl::OkStatus();
}

}  // namespace ns
