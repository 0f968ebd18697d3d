// Says how one subgraph is quantized.
#ifndef PASSES_QUANTIZATION_QCONFIG_H_
#define PASSES_QUANTIZATION_QCONFIG_H_

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/runtime/observers/activation_quantizer.h"
#include "passes/runtime/observers/fake_quantize_weight.h"

namespace ns {

// How the activations and the weight of a subgraph are quantized. A default
// QConfig quantizes neither.
struct QConfig {
  ActivationConfig activation;
  WeightConfig weight;

  bool operator==(const QConfig& other) const {
    return activation == other.activation && weight == other.weight;
  }
  bool operator!=(const QConfig& other) const { return !(*this == other); }
};

// A qconfig; absent when the subgraph is not quantized.
using OptionalQConfig = std::optional<QConfig>;

// Static activations in uint8 of the full range, by observed minimum and
// maximum, and int8 weights with one scale.
QConfig Int8PerTensorQConfig();
// The same with one scale for each output channel of a weight.
QConfig Int8PerChannelQConfig();
// Input activations in uint8 by the range of each batch, and int8 weights with
// one scale.
QConfig DynamicQConfig();
// Weights and activations in half precision.
QConfig Fp16QConfig();
// int4 weights with one scale for each output channel, and activations in
// float.
QConfig Int4WeightsQConfig();

// Returns the name of a qconfig: "int8 per tensor", "int8 per channel",
// "dynamic", "fp16" or "int4 weights". The first two have " histogram" behind
// them when that is the observer. Any other qconfig is named by its parts:
// "static 0..127 histogram, int8 weight per channel".
std::string QConfigName(const QConfig& qconfig);

// Returns the same name; "none" when `qconfig` is absent.
std::string QConfigName(const OptionalQConfig& qconfig);

// Returns the qconfigs that have names of their own, in the order of
// QConfigName.
const std::vector<QConfig>& NamedQConfigs();

// Returns the qconfig of NamedQConfigs called `name`, with blanks or dashes
// between words. Error: another name; the message lists all.
absl::StatusOr<QConfig> QConfigNamed(absl::string_view name);

// Lets GoogleTest print a QConfig.
inline void PrintTo(const QConfig& qconfig, std::ostream* out) {
  *out << QConfigName(qconfig);
}

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QCONFIG_H_
