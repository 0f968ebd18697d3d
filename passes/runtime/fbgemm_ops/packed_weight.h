// Holds what the packed layers share: the qparams and the bias of a weight, and
// the output plan of the last call.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_PACKED_WEIGHT_H_
#define PASSES_RUNTIME_FBGEMM_OPS_PACKED_WEIGHT_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/qparams.h"
#include "passes/kernels/saturation_mode.h"

namespace ns {

// The scales and zero points of a qint8 weight: one, or one for each output
// channel.
struct WeightQParams {
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
};

// Throws c10::Error "<layer>: ..." unless `weight` is qint8 and has one scale,
// or one for each index of dimension `axis`.
WeightQParams ReadWeightQParams(const at::Tensor& weight, int64_t axis,
                                const char* layer);

// Returns `bias` as `channels` floats; empty when it is undefined. Throws when
// it is no float vector of that length.
std::vector<float> ReadBias(const at::Tensor& bias, int64_t channels,
                            const char* layer);

// Throws for an unknown name (kernels/saturation_mode.h).
kernels::SaturationMode ParseSaturationMode(const std::string& name,
                                            const char* layer);

// Says how a layer's output is quantized. For kS32, callers set `type` of a
// default object.
struct OutputQParams {
  kernels::OutputType type = kernels::OutputType::kU8;
  kernels::QParams qparams;
  // The scale of the output tensor: qparams.scale before it was rounded.
  double scale = 1;
  // The least and the largest result: quantized values for kU8 and kS8, real
  // values for kF32. kS32 ignores them.
  float min = -std::numeric_limits<float>::infinity();
  float max = std::numeric_limits<float>::infinity();

  // Whether kernels compute the same results. They do not need `scale`.
  bool operator==(const OutputQParams& other) const {
    return type == other.type && qparams == other.qparams && min == other.min &&
           max == other.max;
  }
};

// Describes an output of quint8. Throws "<layer>: ..." for a scale that is not
// positive and finite, and a zero point that is no quantized value.
OutputQParams QuantizedOutput(double scale, int64_t zero_point,
                              const char* layer);

// Describes an output of kF32: real values, which are neither rounded nor
// clipped to a quantized range.
OutputQParams FloatOutput();

// Returns the same output with relu: its least value is the zero point, or 0
// for kF32. A minimum that was set before is lost.
OutputQParams Relu(OutputQParams output);

// Returns the same output, of kU8 or kF32, between the real values `min` and
// `max`, which may be infinite. For kU8 they are rounded to quantized values.
// Where `min` is above `max`, every result is `max`. Bounds that were set
// before are lost.
OutputQParams Clamp(OutputQParams output, double min, double max);

// The plan for a weight with its bias. Activations are quantized alike from
// call to call in a static model, and so the last plan is kept. Safe to use by
// several threads.
class OutputPlans {
 public:
  // `column_sums` has the sum of the `k` weights of each output channel, as
  // quantized values. `bias` is empty or as long; `weight` has one scale and
  // zero point, or as many.
  OutputPlans(WeightQParams weight, std::vector<float> bias,
              absl::Span<const int32_t> column_sums, int64_t k);

  // Returns the plan for an activation and an output that are quantized so. It
  // stays as it is for as long as the caller holds it.
  std::shared_ptr<const kernels::OutputPlan> Get(
      kernels::QParams activation, const OutputQParams& output) const;

 private:
  struct Cached {
    kernels::QParams activation;
    OutputQParams output;
    kernels::OutputPlan plan;
  };

  WeightQParams weight_;
  std::vector<float> bias_;
  std::vector<int32_t> column_sums_;
  int64_t k_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Cached> last_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_PACKED_WEIGHT_H_
