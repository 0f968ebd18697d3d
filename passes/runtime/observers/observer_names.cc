#include "passes/runtime/observers/observer_names.h"

#include <cstddef>

namespace ns {
namespace {

template <typename T>
struct Named {
  absl::string_view name;
  T value;
};

constexpr Named<ObserverKind> kKinds[] = {
    {"minmax", ObserverKind::kMinMax},
    {"moving-average", ObserverKind::kMovingAverageMinMax},
    {"minmax-per-channel", ObserverKind::kPerChannelMinMax},
    {"moving-average-per-channel",
     ObserverKind::kMovingAveragePerChannelMinMax},
    {"histogram", ObserverKind::kHistogram},
    {"mse", ObserverKind::kMse},
    {"percentile", ObserverKind::kPercentile},
    {"entropy", ObserverKind::kEntropy},
    {"fixed", ObserverKind::kFixedQParams},
    {"placeholder", ObserverKind::kPlaceholder},
    {"noop", ObserverKind::kNoop},
    {"recording", ObserverKind::kRecording},
    {"reuse-input", ObserverKind::kReuseInput},
    {"scripted", ObserverKind::kScripted},
};

constexpr Named<at::ScalarType> kDtypes[] = {
    {"quint8", at::kQUInt8},     {"qint8", at::kQInt8},
    {"quint4x2", at::kQUInt4x2}, {"qint32", at::kQInt32},
    {"float16", at::kHalf},      {"float32", at::kFloat},
};

constexpr Named<at::QScheme> kQSchemes[] = {
    {"per_tensor_affine", at::kPerTensorAffine},
    {"per_tensor_symmetric", at::kPerTensorSymmetric},
    {"per_channel_affine", at::kPerChannelAffine},
    {"per_channel_symmetric", at::kPerChannelSymmetric},
    {"per_channel_affine_float_qparams", at::kPerChannelAffineFloatQParams},
};

template <typename T, size_t kSize>
absl::string_view NameIn(const Named<T> (&table)[kSize], T value) {
  for (const Named<T>& row : table) {
    if (row.value == value) {
      return row.name;
    }
  }
  return "unknown";
}

template <typename T, size_t kSize>
std::optional<T> FindIn(const Named<T> (&table)[kSize],
                        absl::string_view name) {
  for (const Named<T>& row : table) {
    if (row.name == name) {
      return row.value;
    }
  }
  return std::nullopt;
}

}  // namespace

absl::string_view ObserverKindName(ObserverKind kind) {
  return NameIn(kKinds, kind);
}
std::optional<ObserverKind> FindObserverKind(absl::string_view name) {
  return FindIn(kKinds, name);
}
std::vector<absl::string_view> ObserverKindNames() {
  std::vector<absl::string_view> names;
  for (const Named<ObserverKind>& row : kKinds) {
    names.push_back(row.name);
  }
  return names;
}

absl::string_view DtypeName(at::ScalarType dtype) {
  return NameIn(kDtypes, dtype);
}
std::optional<at::ScalarType> FindDtype(absl::string_view name) {
  return FindIn(kDtypes, name);
}

absl::string_view QSchemeName(at::QScheme qscheme) {
  return NameIn(kQSchemes, qscheme);
}
std::optional<at::QScheme> FindQScheme(absl::string_view name) {
  return FindIn(kQSchemes, name);
}

}  // namespace ns
