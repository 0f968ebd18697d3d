// What an observer is to do: its kind, the integers that it finds parameters
// for, and what the kind can be told.
#ifndef PASSES_RUNTIME_OBSERVERS_OBSERVER_CONFIG_H_
#define PASSES_RUNTIME_OBSERVERS_OBSERVER_CONFIG_H_

#include <c10/core/QScheme.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "passes/runtime/observers/observer_names.h"
#include "passes/runtime/observers/values/qparams.h"

namespace ns {

// Fields, names and defaults are those of PyTorch's observers; DefaultConfig
// has the defaults that depend on the kind. For what `with_args` does in
// Python, copy a config and set fields.
struct ObserverConfig {
  ObserverKind kind = ObserverKind::kMinMax;
  // quint8, qint8, quint4x2 or qint32; for placeholders, any.
  at::ScalarType dtype = at::kQUInt8;
  at::QScheme qscheme = at::kPerTensorAffine;
  // Halves the range of integers.
  bool reduce_range = false;
  // Both, or none: then the dtype's.
  std::optional<int64_t> quant_min;
  std::optional<int64_t> quant_max;
  // The smallest scale; above 0.
  double eps = 0x1p-23;
  // Of moving averages: the share of the newest batch, above 0, at most 1.
  double averaging_constant = 0.01;
  // Of per-channel kinds: the dimension of the channels. Negative numbers count
  // from the last one.
  int64_t ch_axis = 0;
  // Of kHistogram: 2 to 2^20 bins, and a rate of 1 to 2^20.
  int64_t bins = 2048;
  int64_t upsample_rate = 128;
  // Of kPercentile: the range leaves out at most 1 - percentile of the values
  // on each side. Above 0.5, at most 1.
  double percentile = 0.9999;
  // Of kMse: how often the squared error of a clipped value counts. Rounding
  // errors cancel out in the sums that follow, and clipping errors do not; and
  // other batches have values beyond those that were seen. Of 1, 2, 4, 8, 16
  // and 64, 8 was best on 22 networks. At least 1.
  double clipping_weight = 8;
  // The range that parameters are for is so many times the one found, at both
  // ends: values of other batches may be larger. At least 1, and
  // 1 with `compat`. kFixedQParams does not read it.
  double headroom = 1;
  // Of kFixedQParams.
  double scale = 1;
  int64_t zero_point = 0;
  // Of kPlaceholder: what ops quantize the value to as they run.
  std::optional<at::ScalarType> compute_dtype;
  // Of kPlaceholder and kNoop.
  std::string custom_op_name;
  // Asks for PyTorch 1.13's results to the bit, with its defects, such as those
  // of histograms (reference_histogram.h). Nan and inf then count as values,
  // and a range with nan has no parameters.
  bool compat = false;
};

// What PyTorch constructs without arguments: per-channel kinds have scheme
// per_channel_affine, placeholders dtype float32, no-ops float16.
ObserverConfig DefaultConfig(ObserverKind kind);

bool IsPerChannel(at::QScheme qscheme);
bool IsSymmetric(at::QScheme qscheme);

// What becomes of the values that an observer is for.
enum class QuantizationMode {
  kFloat,    // left as they are
  kStatic,   // integers, with the parameters that calibration finds
  kDynamic,  // integers, with parameters of each tensor's own range
  kHalf,     // rounded to half precision
};

// Placeholders and no-ops: kDynamic with a quantized compute_dtype, else kHalf
// for the dtype float16, else kFloat. All other kinds: kStatic.
QuantizationMode ModeOf(const ObserverConfig& config);

// True for the kinds that find, or have, a scale and a zero point.
bool HasQParams(ObserverKind kind);

// Returns an error that says what is wrong with `config`, if anything is: what
// PyTorch refuses, numbers outside the ranges that the fields have, and without
// `compat` also integers that the dtype does not have, and one bound without
// the other. Of kScripted only the dtype, quant_min and quant_max are checked;
// of kinds without qparams (HasQParams) nothing.
absl::Status Validate(const ObserverConfig& config);

// The integers that values are quantized to (calculate_qmin_qmax) and how.
// `config` must be valid, and its dtype one of the four that quantize.
QuantGrid GridOf(const ObserverConfig& config);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_OBSERVER_CONFIG_H_
