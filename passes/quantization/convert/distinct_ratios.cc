#include "passes/quantization/convert/distinct_ratios.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

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
      : layers_(layers),
        fixed_(fixed.begin(), fixed.end()),
        qparams_(qparams),
        hashes_(layers.size()) {
    for (size_t i = 0; i < layers.size(); ++i) {
      inverse_scales_.push_back(
          WeightScales(layers[i].weight).reciprocal().to(at::kFloat));
      layers_of_[layers[i].input].push_back(i);
      if (layers[i].output != layers[i].input) {
        layers_of_[layers[i].output].push_back(i);
      }
      Enter(i);
    }
  }

  // Returns whether it changed a scale.
  bool Separate() {
    bool has_changed = false;
    for (size_t later = 1; later < layers_.size(); ++later) {
      for (std::optional<size_t> earlier = NextConfused(0, later); earlier;
           earlier = NextConfused(*earlier + 1, later)) {
        has_changed |= Change(*earlier, later, layers_[later].output) ||
                       Change(*earlier, later, layers_[later].input);
      }
    }
    return has_changed;
  }

 private:
  using ZeroPoints = std::pair<int64_t, int64_t>;
  // Indices of layers whose ratios have one hash, in order, by zero points.
  using Group = std::map<ZeroPoints, std::set<size_t>>;

  // The ratios as LibTorch hands them to oneDNN, to the bit.
  at::Tensor Of(size_t layer) const {
    const auto inverse = [&](int64_t key) {
      return static_cast<float>(1.0 / qparams_.at(key).scale);
    };
    return inverse(layers_[layer].output) /
           (inverse_scales_[layer] * inverse(layers_[layer].input));
  }

  // A hash that is the same for ratios that at::equal holds for.
  size_t HashOf(size_t layer) const {
    // Adding zero makes 0.0 of -0.0, which equals it.
    const at::Tensor ratios = Of(layer).add(0.0);
    return absl::HashOf(
        layers_[layer].weight.sizes().vec(), ratios.sizes().vec(),
        absl::string_view(static_cast<const char*>(ratios.data_ptr()),
                          ratios.nbytes()));
  }

  ZeroPoints ZeroPointsOf(size_t layer) const {
    return {qparams_.at(layers_[layer].input).zero_point,
            qparams_.at(layers_[layer].output).zero_point};
  }

  void Enter(size_t layer) {
    hashes_[layer] = HashOf(layer);
    groups_[hashes_[layer]][ZeroPointsOf(layer)].insert(layer);
  }

  void Leave(size_t layer) {
    groups_[hashes_[layer]][ZeroPointsOf(layer)].erase(layer);
  }

  // Returns the first layer from `begin` on and before `later` that is confused
  // with it.
  std::optional<size_t> NextConfused(size_t begin, size_t later) {
    std::optional<size_t> next;
    for (const auto& [zero_points, layers] : groups_[hashes_[later]]) {
      if (zero_points == ZeroPointsOf(later)) {
        continue;
      }
      for (auto it = layers.lower_bound(begin);
           it != layers.end() && *it < next.value_or(later); ++it) {
        if (AreConfused(*it, later)) {
          next = *it;
        }
      }
    }
    return next;
  }

  bool AreConfused(size_t a, size_t b) const {
    return ZeroPointsOf(a) != ZeroPointsOf(b) &&
           layers_[a].weight.sizes() == layers_[b].weight.sizes() &&
           inverse_scales_[a].sizes() == inverse_scales_[b].sizes() &&
           at::equal(Of(a), Of(b));
  }

  bool Change(size_t earlier, size_t later, int64_t key) {
    if (fixed_.count(key) != 0) {
      return false;
    }
    QParams& changed = qparams_.at(key);
    const double before = changed.scale;
    for (int i = 0; i < kMostUnits; ++i) {
      changed.scale = std::nextafter(static_cast<float>(changed.scale),
                                     std::numeric_limits<float>::infinity());
      if (!AreConfused(earlier, later)) {
        for (const size_t layer : layers_of_.at(key)) {
          Leave(layer);
          Enter(layer);
        }
        return true;
      }
    }
    changed.scale = before;
    return false;
  }

  const std::vector<RatioLayer>& layers_;
  const std::set<int64_t> fixed_;
  std::map<int64_t, QParams>& qparams_;
  std::vector<at::Tensor> inverse_scales_;
  // By the key of the qparams of their input or output.
  std::map<int64_t, std::vector<size_t>> layers_of_;
  // By the hash of the ratios.
  absl::flat_hash_map<size_t, Group> groups_;
  // The key in groups_ of each layer.
  std::vector<size_t> hashes_;
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
