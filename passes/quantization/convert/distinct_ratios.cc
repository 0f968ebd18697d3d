#include "passes/quantization/convert/distinct_ratios.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/algorithm/container.h"

namespace ns {
namespace {

// A change may make the ratios of two other layers equal: rarely, as they are
// any floats.
constexpr int kMostRounds = 8;
// One unit in the last place is enough unless the ratio rounds to the same
// float.
constexpr int kMostUnits = 16;

at::Tensor WeightScales(const at::Tensor& weight) {
  return weight.qscheme() == at::kPerTensorAffine
             ? at::full({1}, weight.q_scale(), at::kDouble)
             : weight.q_per_channel_scales().to(at::kDouble);
}

class Ratios {
 public:
  Ratios(const std::vector<RatioLayer>& layers,
         const std::vector<int64_t>& fixed, std::map<int64_t, QParams>& qparams)
      : layers_(layers), fixed_(fixed), qparams_(qparams) {
    for (const RatioLayer& layer : layers) {
      inverse_scales_.push_back(
          WeightScales(layer.weight).reciprocal().to(at::kFloat));
    }
  }

  // Returns whether it changed a scale.
  bool Separate() {
    bool has_changed = false;
    for (size_t later = 1; later < layers_.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        has_changed |= AreConfused(earlier, later) &&
                       (Change(earlier, later, layers_[later].output) ||
                        Change(earlier, later, layers_[later].input));
      }
    }
    return has_changed;
  }

 private:
  // The ratios as LibTorch hands them to oneDNN, to the bit.
  at::Tensor Of(size_t layer) const {
    const auto inverse = [&](int64_t key) {
      return static_cast<float>(1.0 / qparams_.at(key).scale);
    };
    return inverse(layers_[layer].output) /
           (inverse_scales_[layer] * inverse(layers_[layer].input));
  }

  int64_t ZeroPoint(int64_t key) const { return qparams_.at(key).zero_point; }

  bool AreConfused(size_t a, size_t b) const {
    const bool have_other_zero_points =
        ZeroPoint(layers_[a].input) != ZeroPoint(layers_[b].input) ||
        ZeroPoint(layers_[a].output) != ZeroPoint(layers_[b].output);
    return have_other_zero_points &&
           layers_[a].weight.sizes() == layers_[b].weight.sizes() &&
           inverse_scales_[a].sizes() == inverse_scales_[b].sizes() &&
           at::equal(Of(a), Of(b));
  }

  bool Change(size_t earlier, size_t later, int64_t key) {
    if (absl::c_linear_search(fixed_, key)) {
      return false;
    }
    QParams& changed = qparams_.at(key);
    const double before = changed.scale;
    for (int i = 0; i < kMostUnits; ++i) {
      changed.scale = std::nextafter(static_cast<float>(changed.scale),
                                     std::numeric_limits<float>::infinity());
      if (!AreConfused(earlier, later)) {
        return true;
      }
    }
    changed.scale = before;
    return false;
  }

  const std::vector<RatioLayer>& layers_;
  const std::vector<int64_t>& fixed_;
  std::map<int64_t, QParams>& qparams_;
  std::vector<at::Tensor> inverse_scales_;
};

}  // namespace

bool MakeRatiosDistinct(const std::vector<RatioLayer>& layers,
                        const std::vector<int64_t>& fixed,
                        std::map<int64_t, QParams>& qparams) {
  Ratios ratios(layers, fixed, qparams);
  bool has_changed = false;
  for (int round = 0; round < kMostRounds && ratios.Separate(); ++round) {
    has_changed = true;
  }
  return has_changed;
}

}  // namespace ns
