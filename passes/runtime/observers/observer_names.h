// The kinds of observers, and the names of kinds, dtypes and schemes in options
// and qconfig files.
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
  kMse,           // "mse": the least squared error; clipped values weigh more
  kPercentile,    // "percentile": the range of nearly all values
  kEntropy,       // "entropy": the range that keeps the distribution best
  kFixedQParams,  // "fixed": scale and zero point of the config
  kPlaceholder,   // "placeholder": no range; the dtype for dynamic ops, float16
  kNoop,          // "noop": no range
  kRecording,     // "recording": keeps all values
  kReuseInput,    // "reuse-input": the op's output has the qparams of its input
  kScripted,      // "scripted": a TorchScript object of the user's
};

absl::string_view ObserverKindName(ObserverKind kind);
std::optional<ObserverKind> FindObserverKind(absl::string_view name);
// Those of all kinds, in their order.
std::vector<absl::string_view> ObserverKindNames();

// As in Python, but without "torch.": "quint8", "qint8", "quint4x2", "qint32",
// "float16", "float32". DtypeName returns "unknown" for other dtypes, and
// FindDtype nothing for other names.
absl::string_view DtypeName(at::ScalarType dtype);
std::optional<at::ScalarType> FindDtype(absl::string_view name);

// As in Python: "per_tensor_affine", "per_tensor_symmetric",
// "per_channel_affine", "per_channel_symmetric",
// "per_channel_affine_float_qparams". Others are as with dtypes.
absl::string_view QSchemeName(at::QScheme qscheme);
std::optional<at::QScheme> FindQScheme(absl::string_view name);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_OBSERVER_NAMES_H_
