#include "passes/runtime/statistics/constant_channels.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <utility>

namespace ns {
namespace {

// Whether the SQNR of a channel is below 3 dB: more than half as much error as
// signal. One of nan is not.
bool IsLost(const ChannelSums& channel) {
  return channel.sum_e2 > channel.sum_x2 / 2;
}

std::pair<float, float> ExtremesOf(const at::Tensor& tensor, int64_t dim,
                                   int64_t channel) {
  // LibTorch selects no channel of a tensor with a scale for each.
  const bool has_one_scale =
      tensor.is_quantized() && tensor.qscheme() == at::kPerTensorAffine;
  at::Tensor values =
      (tensor.is_quantized() && !has_one_scale ? tensor.dequantize() : tensor)
          .select(dim, channel);
  if (values.is_quantized()) {
    values = values.dequantize();
  }
  const auto [low, high] = values.to(at::kFloat).aminmax();
  return {low.item<float>(), high.item<float>()};
}

// Whether a few elements of a channel differ, which is found in far less time
// than its extremes.
bool DiffersAtSight(const at::Tensor& tensor, int64_t dim, int64_t channel) {
  constexpr int64_t kLooks = 4;
  const auto* const data = static_cast<const char*>(tensor.data_ptr());
  const char* first = nullptr;
  for (int64_t look = 0; look < kLooks; ++look) {
    int64_t offset = 0;
    for (int64_t axis = 0; axis < tensor.dim(); ++axis) {
      const int64_t index =
          axis == dim ? channel : (tensor.size(axis) - 1) * look / (kLooks - 1);
      offset += index * tensor.stride(axis);
    }
    const char* const element =
        data + offset * static_cast<int64_t>(tensor.itemsize());
    if (first == nullptr) {
      first = element;
    } else if (std::memcmp(first, element, tensor.itemsize()) != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

void ConstantChannels::Merge(const Range& from, Range& into) {
  if (!into.is_seen || from.varies) {
    into = from;
    return;
  }
  if (!from.is_seen || into.varies) {
    return;
  }
  into.min_x = std::min(into.min_x, from.min_x);
  into.max_x = std::max(into.max_x, from.max_x);
  into.min_y = std::min(into.min_y, from.min_y);
  into.max_y = std::max(into.max_y, from.max_y);
  into.varies = !(into.min_y == into.max_y);
}

void ConstantChannels::Add(const at::Tensor& x, const at::Tensor& y,
                           int64_t dim,
                           const std::vector<ChannelSums>& channels) {
  at::NoGradGuard no_grad;
  if (x.numel() == 0 || x.is_complex()) {
    return;
  }
  ranges_.resize(std::max(ranges_.size(), channels.size()));
  for (size_t i = 0; i < channels.size(); ++i) {
    Range range;
    range.is_seen = true;
    range.varies =
        !IsLost(channels[i]) ||
        (!ranges_[i].varies && DiffersAtSight(y, dim, static_cast<int64_t>(i)));
    if (!range.varies && !ranges_[i].varies) {
      const auto channel = static_cast<int64_t>(i);
      std::tie(range.min_x, range.max_x) = ExtremesOf(x, dim, channel);
      std::tie(range.min_y, range.max_y) = ExtremesOf(y, dim, channel);
      range.varies = !(range.min_y == range.max_y);
    }
    Merge(range, ranges_[i]);
  }
}

void ConstantChannels::Merge(const ConstantChannels& other) {
  ranges_.resize(std::max(ranges_.size(), other.ranges_.size()));
  for (size_t i = 0; i < other.ranges_.size(); ++i) {
    if (other.ranges_[i].is_seen) {
      Merge(other.ranges_[i], ranges_[i]);
    }
  }
}

void ConstantChannels::Save(ByteWriter& writer) const {
  writer.Integer(static_cast<int64_t>(ranges_.size()));
  for (const Range& range : ranges_) {
    const bool has_extremes = range.is_seen && !range.varies;
    writer.Integer(!range.is_seen ? 0 : range.varies ? 1 : 2);
    if (has_extremes) {
      for (const float extreme :
           {range.min_x, range.max_x, range.min_y, range.max_y}) {
        writer.Double(extreme);
      }
    }
  }
}

ConstantChannels ConstantChannels::Load(ByteReader& reader) {
  ConstantChannels channels;
  const size_t count = reader.Count();
  for (size_t i = 0; reader.ok() && i < count; ++i) {
    Range range;
    const int64_t kind = reader.Integer();
    if (kind < 0 || kind > 2) {
      reader.Fail();
    }
    range.is_seen = kind != 0;
    range.varies = kind == 1;
    if (kind == 2) {
      for (float* extreme :
           {&range.min_x, &range.max_x, &range.min_y, &range.max_y}) {
        *extreme = static_cast<float>(reader.Double());
      }
    }
    channels.ranges_.push_back(range);
  }
  return channels;
}

int64_t ConstantChannels::Count() const {
  return std::count_if(ranges_.begin(), ranges_.end(), [](const Range& range) {
    return range.is_seen && !range.varies && range.min_x < range.max_x;
  });
}

}  // namespace ns
