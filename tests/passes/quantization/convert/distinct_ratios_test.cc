#include "passes/quantization/convert/distinct_ratios.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <map>
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

}  // namespace
}  // namespace ns
