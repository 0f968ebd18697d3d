#include "passes/quantization/convert/distinct_ratios.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/observers/values/qparams.h"

namespace ns {
namespace {

at::Tensor Weight(double scale, int64_t rows = 2) {
  return at::quantize_per_tensor(at::ones({rows, 3}), scale, 0, at::kQInt8);
}

QParams Of(double scale, int64_t zero_point) {
  QParams qparams;
  qparams.scale = static_cast<float>(scale);
  qparams.zero_point = zero_point;
  return qparams;
}

using Map = std::map<int64_t, QParams>;

TEST(DistinctRatiosTest, TheLaterOutputChangesInTheLastPlace) {
  Map qparams = {
      {0, Of(0.1, 3)}, {1, Of(0.2, 3)}, {2, Of(0.3, 5)}, {3, Of(0.6, 6)}};
  const Map before = qparams;
  EXPECT_TRUE(MakeRatiosDistinct({{Weight(0.01), 0, 2}, {Weight(0.01), 1, 3}},
                                 {}, qparams));
  for (const int64_t key : {0, 1, 2}) {
    EXPECT_EQ(qparams[key].scale, before.at(key).scale);
  }
  EXPECT_NE(qparams[3].scale, before.at(3).scale);
  EXPECT_NEAR(qparams[3].scale, before.at(3).scale, 1e-6);
  EXPECT_FALSE(MakeRatiosDistinct({{Weight(0.01), 0, 2}, {Weight(0.01), 1, 3}},
                                  {}, qparams));
}

TEST(DistinctRatiosTest, OtherLayersStay) {
  const auto changes = [](const at::Tensor& weight, const QParams& input,
                          const QParams& output) {
    Map qparams = {{0, Of(0.1, 3)}, {1, input}, {2, Of(0.3, 5)}, {3, output}};
    return MakeRatiosDistinct({{Weight(0.01), 0, 2}, {weight, 1, 3}}, {},
                              qparams);
  };
  EXPECT_TRUE(changes(Weight(0.01), Of(0.2, 4), Of(0.6, 5)));
  // The same zero points, another shape, another ratio.
  EXPECT_FALSE(changes(Weight(0.01), Of(0.2, 3), Of(0.6, 5)));
  EXPECT_FALSE(changes(Weight(0.01, 4), Of(0.2, 3), Of(0.6, 6)));
  EXPECT_FALSE(changes(Weight(0.02), Of(0.2, 3), Of(0.6, 6)));
  EXPECT_FALSE(changes(Weight(0.01), Of(0.2, 3), Of(0.5, 6)));
}

TEST(DistinctRatiosTest, TheInputChangesWhereTheOutputIsSharedOrFixed) {
  const std::vector<RatioLayer> shared = {{Weight(0.01), 0, 2},
                                          {Weight(0.01), 1, 2}};
  Map qparams = {{0, Of(0.1, 3)}, {1, Of(0.1, 4)}, {2, Of(0.3, 5)}};
  EXPECT_TRUE(MakeRatiosDistinct(shared, {}, qparams));
  EXPECT_EQ(qparams[2].scale, Of(0.3, 5).scale);
  EXPECT_NE(qparams[1].scale, Of(0.1, 4).scale);

  qparams = {
      {0, Of(0.1, 3)}, {1, Of(0.1, 4)}, {2, Of(0.3, 5)}, {3, Of(0.3, 5)}};
  EXPECT_TRUE(MakeRatiosDistinct({{Weight(0.01), 0, 2}, {Weight(0.01), 1, 3}},
                                 {3}, qparams));
  EXPECT_EQ(qparams[3].scale, Of(0.3, 5).scale);
}

TEST(DistinctRatiosTest, EveryChannelCounts) {
  const auto weight = [](double first, double second) {
    return at::quantize_per_channel(at::ones({2, 3}),
                                    at::tensor({first, second}),
                                    at::zeros({2}, at::kLong), 0, at::kQInt8);
  };
  Map qparams = {{0, Of(0.1, 3)}, {1, Of(0.3, 5)}, {2, Of(0.3, 6)}};
  EXPECT_FALSE(MakeRatiosDistinct(
      {{weight(0.01, 0.02), 0, 1}, {weight(0.01, 0.03), 0, 2}}, {}, qparams));
  EXPECT_TRUE(MakeRatiosDistinct(
      {{weight(0.01, 0.02), 0, 1}, {weight(0.01, 0.02), 0, 2}}, {}, qparams));
}

// Whether the ratios of `x` and `y` are the same floats, and their zero points
// others.
bool AreConfused(const RatioLayer& x, const RatioLayer& y, const Map& qparams) {
  const auto ratio = [&](const RatioLayer& layer) {
    const auto inverse = [&](int64_t key) {
      return static_cast<float>(1.0 / qparams.at(key).scale);
    };
    const auto weight = static_cast<float>(1 / layer.weight.q_scale());
    return inverse(layer.output) / (weight * inverse(layer.input));
  };
  const auto zero_points = [&](const RatioLayer& layer) {
    return std::pair(qparams.at(layer.input).zero_point,
                     qparams.at(layer.output).zero_point);
  };
  return zero_points(x) != zero_points(y) &&
         x.weight.sizes() == y.weight.sizes() && ratio(x) == ratio(y);
}

// Looks at all pairs, and changes what MakeRatiosDistinct says.
void SeparateAllPairs(const std::vector<RatioLayer>& layers,
                      const std::vector<int64_t>& fixed, Map& qparams) {
  const auto change = [&](const RatioLayer& earlier, const RatioLayer& later,
                          int64_t key) {
    if (std::find(fixed.begin(), fixed.end(), key) != fixed.end()) {
      return false;
    }
    const double before = qparams.at(key).scale;
    for (int i = 0; i < 16; ++i) {
      qparams.at(key).scale =
          std::nextafter(static_cast<float>(qparams.at(key).scale),
                         std::numeric_limits<float>::infinity());
      if (!AreConfused(earlier, later, qparams)) {
        return true;
      }
    }
    qparams.at(key).scale = before;
    return false;
  };
  bool has_changed = true;
  for (int round = 0; round < 8 && has_changed; ++round) {
    has_changed = false;
    for (size_t later = 1; later < layers.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        has_changed |=
            AreConfused(layers[earlier], layers[later], qparams) &&
            (change(layers[earlier], layers[later], layers[later].output) ||
             change(layers[earlier], layers[later], layers[later].input));
      }
    }
  }
}

TEST(DistinctRatiosTest, TheResultIsThatOfComparingAllPairs) {
  std::mt19937 random;
  const auto below = [&](int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  };
  for (int round = 0; round < 200; ++round) {
    // Few scales and zero points, so that many layers are confused.
    Map qparams;
    for (int64_t key = 0; key < 12; ++key) {
      qparams[key] = Of(0.1 * static_cast<double>(1 + below(2)), below(3));
    }
    std::vector<RatioLayer> layers;
    for (int i = 0; i < 10; ++i) {
      layers.push_back({Weight(0.01, 2 + below(2)), below(12), below(12)});
    }
    const std::vector<int64_t> fixed = {below(12), below(12)};
    Map expected = qparams;
    SeparateAllPairs(layers, fixed, expected);
    MakeRatiosDistinct(layers, fixed, qparams);
    for (const auto& [key, value] : expected) {
      EXPECT_EQ(qparams.at(key).scale, value.scale) << round << ' ' << key;
    }
  }
}

}  // namespace
}  // namespace ns
