// The kinds of observers, and what options and qconfig files call them, dtypes
// and schemes.
#ifndef PASSES_RUNTIME_OBSERVERS_OBSERVER_NAMES_H_
#define PASSES_RUNTIME_OBSERVERS_OBSERVER_NAMES_H_

#include <c10/core/QScheme.h>
#include <c10/core/ScalarType.h>

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

enum class ObserverKind {
  kMinMax,               // "minmax": the range of all values
  kMovingAverageMinMax,  // "moving-average": an average of batches' ranges
  kPerChannelMinMax,     // "minmax-per-channel"
  kMovingAveragePerChannelMinMax,  // "moving-average-per-channel"
  kHistogram,     // "histogram": PyTorch's search for the least squared error
  kMse,           // "mse": the least squared error, where clipping weighs more
  kPercentile,    // "percentile": the range of nearly all values
  kEntropy,       // "entropy": the range that keeps the distribution best
  kFixedQParams,  // "fixed": scale and zero point of the config
  kPlaceholder,   // "placeholder": no range; dtypes alone, as of dynamic ops
  kNoop,          // "noop": no range
  kRecording,     // "recording": keeps all values
  kReuseInput,    // "reuse-input": the observer of the op's input is meant
  kScripted,      // "scripted": a TorchScript object of the user's
};

absl::string_view ObserverKindName(ObserverKind kind);
std::optional<ObserverKind> FindObserverKind(absl::string_view name);
// Those of all kinds, in their order.
std::vector<absl::string_view> ObserverKindNames();

// As in Python, but without "torch.": "quint8", "qint8", "quint4x2", "qint32",
// "float16", "float32". Other dtypes are "unknown", and other names are found
// to be none.
absl::string_view DtypeName(at::ScalarType dtype);
std::optional<at::ScalarType> FindDtype(absl::string_view name);

// As in Python: "per_tensor_affine", "per_tensor_symmetric",
// "per_channel_affine", "per_channel_symmetric",
// "per_channel_affine_float_qparams"; others as above.
absl::string_view QSchemeName(at::QScheme qscheme);
std::optional<at::QScheme> FindQScheme(absl::string_view name);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_OBSERVER_NAMES_H_
