#include "passes/runtime/observers/values/input_means.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "passes/runtime/is_dense.h"

namespace ns {
namespace {

// The part of one dimension that a tap of the kernel meets, patch by patch.
struct Met {
  int64_t start = 0;
  int64_t end = 0;
  int64_t step = 1;
};

int64_t CeilOfRatio(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t PatchesAlong(const ConvGeometry& geometry, size_t dim, int64_t size) {
  const int64_t reach = geometry.dilation[dim] * (geometry.kernel[dim] - 1) + 1;
  return std::max<int64_t>(
      0, (size + 2 * geometry.padding[dim] - reach) / geometry.stride[dim] + 1);
}

Met MetBy(const ConvGeometry& geometry, size_t dim, int64_t tap, int64_t size) {
  const int64_t stride = geometry.stride[dim];
  const int64_t first = tap * geometry.dilation[dim] - geometry.padding[dim];
  const int64_t patches = PatchesAlong(geometry, dim, size);
  const int64_t begin = first >= 0 ? 0 : CeilOfRatio(-first, stride);
  const int64_t end =
      first >= size ? 0 : std::min(patches, CeilOfRatio(size - first, stride));
  if (begin >= end) {
    return {};
  }
  return {first + begin * stride, first + (end - 1) * stride + 1, stride};
}

// The sums over space of `x`, [channel, space...], for each tap of the kernel,
// the last dimension fastest.
at::Tensor SumsOfTaps(const at::Tensor& x, const ConvGeometry& geometry) {
  std::vector<at::Tensor> parts = {x};
  for (size_t dim = 0; dim < geometry.kernel.size(); ++dim) {
    const int64_t axis = static_cast<int64_t>(dim) + 1;
    std::vector<at::Tensor> met;
    for (const at::Tensor& part : parts) {
      for (int64_t tap = 0; tap < geometry.kernel[dim]; ++tap) {
        const Met slice = MetBy(geometry, dim, tap, x.size(axis));
        met.push_back(part.slice(axis, slice.start, slice.end, slice.step)
                          .sum(axis, /*keepdim=*/true));
      }
    }
    parts = std::move(met);
  }
  for (at::Tensor& part : parts) {
    part = part.reshape({x.size(0)});
  }
  return at::stack(parts, 1);
}

// The sum over samples of `x`, [sample, channel, height, width] or the like.
// LibTorch sums what is contiguous, as most convolutions give it with channels
// last, ten times as fast when its dimensions are in the order of memory.
at::Tensor SumOfSamples(const at::Tensor& x) {
  const bool has_channels_last =
      x.dim() == 4 && !x.is_contiguous() &&
      x.is_contiguous(at::MemoryFormat::ChannelsLast);
  return has_channels_last
             ? x.permute({0, 2, 3, 1}).sum(0).permute({2, 0, 1}).contiguous()
             : x.sum(0);
}

}  // namespace

at::Tensor InputMeans::Forward(const at::Tensor& x) {
  if (!is_enabled_ || !IsDense(x) || x.numel() == 0) {
    return x;
  }
  const at::NoGradGuard no_grad;
  const auto dims = static_cast<int64_t>(geometry_.kernel.size());
  at::Tensor sums;
  int64_t patches = 1;
  if (dims == 0) {
    TORCH_CHECK(x.dim() > 0,
                "the means of a linear layer's input need one "
                "dimension at least");
    const at::Tensor lines = x.detach().reshape({-1, x.size(-1)});
    sums = lines.sum(0).to(at::kDouble).unsqueeze(1);
    patches = lines.size(0);
  } else {
    TORCH_CHECK(x.dim() == dims + 1 || x.dim() == dims + 2,
                "the means of a convolution's input need ", dims + 1, " or ",
                dims + 2, " dimensions, not ", x.dim());
    const bool has_batch = x.dim() == dims + 2;
    const at::Tensor sample = has_batch ? SumOfSamples(x.detach()) : x.detach();
    sums = SumsOfTaps(sample, geometry_).to(at::kDouble);
    patches = has_batch ? x.size(0) : 1;
    for (int64_t dim = 0; dim < dims; ++dim) {
      patches *= PatchesAlong(geometry_, static_cast<size_t>(dim),
                              sample.size(dim + 1));
    }
  }
  TORCH_CHECK(!sums_.defined() || sums_.sizes() == sums.sizes(),
              "a layer's input has changed its number of channels");
  if (!sums.isfinite().all().item<bool>()) {
    return x;
  }
  sums_ = sums_.defined() ? sums_ + sums : sums;
  patches_ += patches;
  return x;
}

void InputMeans::Merge(const InputMeans& other) {
  TORCH_CHECK(geometry_ == other.geometry_ &&
                  (!sums_.defined() || !other.sums_.defined() ||
                   sums_.sizes() == other.sums_.sizes()),
              "means of the inputs of two layers cannot be merged");
  if (!other.sums_.defined()) {
    return;
  }
  sums_ = sums_.defined() ? sums_ + other.sums_ : other.sums_;
  patches_ += other.patches_;
}

at::Tensor InputMeans::Mean() const {
  return patches_ > 0 ? sums_ / static_cast<double>(patches_) : at::Tensor();
}

namespace {

using SavedGeometry = std::tuple<std::vector<int64_t>, std::vector<int64_t>,
                                 std::vector<int64_t>, std::vector<int64_t>>;
// Version, geometry, sums (empty for none), patches.
using Saved = std::tuple<int64_t, SavedGeometry, at::Tensor, int64_t>;

constexpr int64_t kVersion = 1;

Saved Save(const InputMeansPtr& means) {
  const ConvGeometry& geometry = means->geometry();
  return {
      kVersion,
      {geometry.kernel, geometry.stride, geometry.padding, geometry.dilation},
      means->sums().defined() ? means->sums() : at::empty({0}),
      means->patches()};
}

InputMeansPtr Load(const Saved& saved) {
  const auto& [version, fields, sums, patches] = saved;
  TORCH_CHECK(version == kVersion, "means were saved in format ", version,
              "; this version of ns reads format ", kVersion,
              "; prepare the model again");
  const auto& [kernel, stride, padding, dilation] = fields;
  auto means = c10::make_intrusive<InputMeans>(
      ConvGeometry{kernel, stride, padding, dilation});
  means->SetState(patches > 0 ? sums : at::Tensor(), patches);
  return means;
}

const auto registered =
    torch::class_<InputMeans>("ns", "InputMeans")
        .def("forward", [](const InputMeansPtr& self,
                           const at::Tensor& x) { return self->Forward(x); })
        .def_pickle([](const InputMeansPtr& self) { return Save(self); },
                    [](const Saved& saved) { return Load(saved); });

}  // namespace
}  // namespace ns
