// Says how one subgraph is quantized: what observes its activations and its
// weight.
#ifndef PASSES_QUANTIZATION_QCONFIG_QCONFIG_H_
#define PASSES_QUANTIZATION_QCONFIG_QCONFIG_H_

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// Whether an observer stands alone, or in a FakeQuantize
// (runtime/observers/fake_quantize.h), which also rounds the values, so that a
// model can be trained with rounded values.
enum class ObserverUse {
  kObserve,
  kFakeQuantize,
  kFusedFakeQuantize,
};

// Describes an observer of a QConfig. Each observed value gets an observer of
// its own, made from this.
struct ObserverSpec {
  ObserverConfig config;
  ObserverUse use = ObserverUse::kObserve;
  // Only for the kind kScripted: the file of the scripted module to call
  // (runtime/observers/scripted_observer.h).
  std::string path;
};

bool operator==(const ObserverSpec& a, const ObserverSpec& b);
inline bool operator!=(const ObserverSpec& a, const ObserverSpec& b) {
  return !(a == b);
}

// Returns an observer of `kind` with the default settings of that kind.
ObserverSpec SpecOf(ObserverKind kind);

// Returns an observer that finds no scale and zero point. It is for values that
// are left as they are or, for at::kHalf, rounded to half precision.
ObserverSpec PlaceholderSpec(at::ScalarType dtype = at::kFloat);

// How the activations and the weight of a subgraph are quantized (reference:
// torch.ao.quantization.QConfig). A default QConfig quantizes neither. To
// change an observer, copy and set, what `with_args` does in Python:
//
//   QConfig qconfig = DefaultQConfig();
//   qconfig.activation.config.reduce_range = true;
struct QConfig {
  ObserverSpec activation = PlaceholderSpec();
  ObserverSpec weight = PlaceholderSpec();

  bool operator==(const QConfig& other) const {
    return activation == other.activation && weight == other.weight;
  }
  bool operator!=(const QConfig& other) const { return !(*this == other); }
};

// Returns `qconfig` with observers that give PyTorch 1.13's results to the bit
// (ObserverConfig::compat).
QConfig Compatible(QConfig qconfig);

// A qconfig; absent when the subgraph is not quantized.
using OptionalQConfig = std::optional<QConfig>;

// Returns what becomes of the values that `spec` is for: see QuantizationMode.
inline QuantizationMode ModeOf(const ObserverSpec& spec) {
  return ModeOf(spec.config);
}

// True when `spec` is static and finds a scale for each channel.
bool IsPerChannel(const ObserverSpec& spec);

// The qconfigs that n-shadows and `ns sensitivity` try by name:

// Static activations in quint8 of the full range, by observed minimum and
// maximum, and qint8 weights with one scale, symmetric, -128..127.
QConfig Int8PerTensorQConfig();
// The same with one scale for each output channel of a weight.
QConfig Int8PerChannelQConfig();
// Input activations in quint8 by the range of each batch, and qint8 weights
// with one scale.
QConfig DynamicQConfig();
// Weights and activations in half precision.
QConfig Fp16QConfig();
// Weights of four bits, -8..7, with one scale for each output channel, and
// activations in float.
QConfig Int4WeightsQConfig();

// Returns the name of a qconfig: "int8 per tensor", "int8 per channel",
// "dynamic", "fp16" or "int4 weights". The first two have the kind of the
// observer behind them when that is not minmax: "int8 per channel histogram".
// Any other qconfig is named by its parts: "static 0..127 mse, int8 weight per
// channel". Different qconfigs may share a name of that form. Its configs must
// be valid (Validate).
std::string QConfigName(const QConfig& qconfig);

// Returns the same name; "none" when `qconfig` is absent.
std::string QConfigName(const OptionalQConfig& qconfig);

// Returns the five qconfigs above, in their order.
const std::vector<QConfig>& NamedQConfigs();

// Returns the qconfig of NamedQConfigs called `name`, with spaces or dashes
// between words. Error: there is none; the message lists all names.
absl::StatusOr<QConfig> QConfigNamed(absl::string_view name);

// Lets GoogleTest print a QConfig.
inline void PrintTo(const QConfig& qconfig, std::ostream* out) {
  *out << QConfigName(qconfig);
}

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QCONFIG_QCONFIG_H_
