// How one subgraph is quantized.
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

// What happens to the activations and to the weight of a subgraph; as
// constructed, nothing.
struct QConfig {
  ActivationConfig activation;
  WeightConfig weight;

  bool operator==(const QConfig& other) const {
    return activation == other.activation && weight == other.weight;
  }
  bool operator!=(const QConfig& other) const { return !(*this == other); }
};

// Absent: the subgraph is not quantized.
using OptionalQConfig = std::optional<QConfig>;

// Static uint8 activations of the full range, with minimum and maximum
// observed, and int8 weights with one scale.
QConfig Int8PerTensorQConfig();
// As above, with one scale for each output channel of a weight.
QConfig Int8PerChannelQConfig();
// Input activations in uint8 with the range of each batch; int8 weights with
// one scale.
QConfig DynamicQConfig();
// Weights and activations in half precision.
QConfig Fp16QConfig();
// int4 weights with one scale for each output channel; activations in float.
QConfig Int4WeightsQConfig();

// "int8 per tensor", "int8 per channel", "dynamic", "fp16", "int4 weights"; the
// first two with " histogram" behind them where that is the observer; or, for
// any other, its parts: "static 0..127 histogram, int8 weight per channel".
std::string QConfigName(const QConfig& qconfig);

// As above; "none" when absent.
std::string QConfigName(const OptionalQConfig& qconfig);

// The qconfigs with names of their own, in the order above.
const std::vector<QConfig>& NamedQConfigs();

// The one of them called `name`, with blanks or dashes between words. Error:
// another name; the message lists all.
absl::StatusOr<QConfig> QConfigNamed(absl::string_view name);

// For test output.
inline void PrintTo(const QConfig& qconfig, std::ostream* out) {
  *out << QConfigName(qconfig);
}

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QCONFIG_H_
