#include "passes/kernels/conv/conv.h"

#include <optional>
#include <vector>

#include "passes/kernels/conv/band_gemm.h"
#include "passes/kernels/conv/band_weights.h"
#include "passes/kernels/conv/conv_saturation.h"
#include "passes/kernels/conv/phase_gemm.h"
#include "passes/kernels/conv/phase_weights.h"
#include "passes/kernels/depthwise/depthwise.h"
#include "passes/kernels/gemm/gemm.h"
#include "passes/kernels/grouped/grouped.h"

namespace ns::kernels {
namespace {

int64_t KernelTaps(const ConvShape& shape) {
  return shape.kernel[0] * shape.kernel[1] * shape.kernel[2];
}

std::vector<int32_t> SumWeights(const ConvShape& shape, const int8_t* weights) {
  const int64_t taps = KernelTaps(shape);
  const int64_t group_inputs = shape.in_channels / shape.groups;
  const int64_t group_outputs = shape.out_channels / shape.groups;
  std::vector<int32_t> sums(shape.out_channels);
  for (int64_t channel = 0; channel < shape.out_channels; ++channel) {
    for (int64_t c = 0; c < group_inputs; ++c) {
      const int64_t row =
          shape.transposed
              ? (channel / group_outputs * group_inputs + c) * group_outputs +
                    channel % group_outputs
              : channel * group_inputs + c;
      for (int64_t tap = 0; tap < taps; ++tap) {
        sums[channel] += weights[row * taps + tap];
      }
    }
  }
  return sums;
}

// Whether `shape` is a long filter of one row, in one group and with few
// channels. The kernels that work on lanes (depthwise/lane_blocks.h) would
// leave their vectors nearly empty; a GEMM multiplies several taps of the row
// at once.
bool IsRowFilter(const ConvShape& shape) {
  constexpr int64_t kMostChannels = 8;
  constexpr int64_t kLeastTaps = 16;
  return shape.groups == 1 && shape.out_channels <= kMostChannels &&
         shape.kernel[0] == 1 && shape.kernel[1] == 1 &&
         shape.kernel[2] >= kLeastTaps && shape.dilation[2] == 1;
}

// Whether each output meets one input pixel, its own.
bool IsPointwise(const ConvShape& shape) {
  const Dims ones = {1, 1, 1};
  const Dims zeros = {0, 0, 0};
  return shape.groups == 1 && shape.kernel == ones && shape.stride == ones &&
         shape.padding == zeros && shape.output_padding == zeros;
}

}  // namespace

struct PackedConv::Body {
  ConvShape shape;
  SaturationMode mode;
  // SaturationMode with which all kernels saturate if this shape does, or none.
  SaturationMode kernel_mode;
  std::vector<int32_t> column_sums;
  // For few output channels: used if BandWeights::AreFaster, and unless the
  // plan has weight zero points.
  std::optional<BandWeights> bands;
  // For everything else: one of these.
  std::optional<PackedDepthwise> depthwise;
  std::optional<PackedGrouped> grouped;
  std::vector<PhaseWeights> phases;
};

PackedConv::PackedConv(const ConvShape& shape, const int8_t* weights,
                       SaturationMode mode)
    : body_(std::make_unique<Body>()) {
  const bool saturates = ConvSaturates(shape, mode);
  body_->shape = shape;
  body_->mode = mode;
  body_->kernel_mode =
      saturates ? SaturationMode::kFbgemmAvx2 : SaturationMode::kExact;
  body_->column_sums = SumWeights(shape, weights);
  if (!saturates && BandWeights::Takes(shape)) {
    body_->bands.emplace(shape, weights);
  }
  const bool by_lanes = !IsRowFilter(shape);
  if (by_lanes && PackedDepthwise::Takes(shape)) {
    body_->depthwise.emplace(shape, weights);
    return;
  }
  if (by_lanes && PackedGrouped::Takes(shape)) {
    body_->grouped.emplace(shape, weights);
    return;
  }
  for (const ConvPhase& phase : ConvPhases(shape, saturates)) {
    body_->phases.emplace_back(shape, phase, weights, saturates);
  }
}

PackedConv::~PackedConv() = default;
PackedConv::PackedConv(PackedConv&&) noexcept = default;
PackedConv& PackedConv::operator=(PackedConv&&) noexcept = default;

const ConvShape& PackedConv::shape() const { return body_->shape; }

SaturationMode PackedConv::saturation_mode() const { return body_->mode; }

absl::Span<const int32_t> PackedConv::column_sums() const {
  return body_->column_sums;
}

int64_t PackedConv::k() const {
  return KernelTaps(body_->shape) * body_->shape.in_channels /
         body_->shape.groups;
}

void Conv(const uint8_t* input, int64_t batch, const Dims& size,
          const PackedConv& conv, const OutputPlan& plan, void* out,
          Parallel parallel) {
  const PackedConv::Body& body = *conv.body_;
  const SaturationMode mode = body.kernel_mode;
  const Dims outputs = ConvOutput(body.shape, size);
  if (body.bands.has_value() && plan.weight_zero_points.empty() &&
      body.bands->AreFaster(batch, outputs)) {
    ConvByBands(input, batch, size, *body.bands, plan, outputs, out, parallel);
    return;
  }
  if (body.depthwise.has_value()) {
    Depthwise(input, batch, size, *body.depthwise, plan, mode, out, parallel);
    return;
  }
  if (body.grouped.has_value()) {
    Grouped(input, batch, size, *body.grouped, plan, mode, out, parallel);
    return;
  }
  if (IsPointwise(body.shape)) {
    Gemm(input, batch * size[0] * size[1] * size[2], body.shape.in_channels,
         body.phases[0].matrix(0), plan, mode, out, parallel);
    return;
  }
  for (const PhaseWeights& weights : body.phases) {
    ConvByGemm(input, batch, size, body.shape, weights, plan, mode, outputs,
               out, outputs[2] * body.shape.out_channels, parallel);
  }
}

}  // namespace ns::kernels
