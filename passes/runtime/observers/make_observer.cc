#include "passes/runtime/observers/make_observer.h"

#include "passes/runtime/observers/fixed_observers.h"
#include "passes/runtime/observers/histogram_observer.h"
#include "passes/runtime/observers/range_observer.h"

namespace ns {

absl::StatusOr<ObserverPtr> MakeObserver(const ObserverConfig& config) {
  const absl::Status status = Validate(config);
  if (!status.ok()) {
    return status;
  }
  switch (config.kind) {
    case ObserverKind::kMinMax:
    case ObserverKind::kMovingAverageMinMax:
    case ObserverKind::kPerChannelMinMax:
    case ObserverKind::kMovingAveragePerChannelMinMax:
      return ObserverPtr(c10::make_intrusive<RangeObserver>(config));
    case ObserverKind::kHistogram:
      return ObserverPtr(
          c10::make_intrusive<ReferenceHistogramObserver>(config));
    case ObserverKind::kMse:
    case ObserverKind::kPercentile:
    case ObserverKind::kEntropy:
      return ObserverPtr(c10::make_intrusive<ExactHistogramObserver>(config));
    case ObserverKind::kFixedQParams:
    case ObserverKind::kPlaceholder:
    case ObserverKind::kNoop:
    case ObserverKind::kReuseInput:
      return ObserverPtr(c10::make_intrusive<FixedObserver>(config));
    case ObserverKind::kRecording:
      return ObserverPtr(c10::make_intrusive<RecordingObserver>(config));
    case ObserverKind::kScripted:
      break;
  }
  return absl::InvalidArgumentError(
      "observer 'scripted': needs an object; use MakeScriptedObserver");
}

}  // namespace ns
