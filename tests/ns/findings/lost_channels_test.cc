#include "ns/findings/lost_channels.h"

#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

LayerComparison WithChannels(LayerComparison layer, double median_db,
                             int64_t below) {
  layer.shadow->channels = ChannelSummary{64, median_db, below};
  return layer;
}

TEST(LostChannelsTest, ManyChannelsFarBelowTheTensorAreLost) {
  const LayerComparison norm = Broken("norm", 21, 21.4, 31);
  EXPECT_TRUE(LosesChannels(WithChannels(norm, 1.8, 63)));
  // The others have enough.
  EXPECT_FALSE(LosesChannels(WithChannels(norm, 8, 63)));
  EXPECT_FALSE(LosesChannels(WithChannels(norm, 1.8, 16)));
  // Nothing is known of channels, or of the tensor.
  EXPECT_FALSE(LosesChannels(norm));
  EXPECT_FALSE(LosesChannels(Layer("conv", 20)));
  EXPECT_FALSE(LosesChannels(WithChannels(Broken("sum", 0, kNan, 0), 1, 63)));
}

TEST(LostChannelsTest, TheLayerWithTheLowestMedianIsTheWorst) {
  ComparisonResult result =
      WithShadows({WithChannels(Broken("a", 40, 40, 50), 2, 40),
                   WithChannels(Broken("b", 50, 50, 50), 1, 40),
                   WithChannels(Broken("c", 50, 50, 50), 40, 0)});
  EXPECT_EQ(WorstLostChannels(result), 1);
  result.layers[1].unpaired_input = "the float model has aten::relu there";
  EXPECT_EQ(WorstLostChannels(result), 0);
  result.layers[0].shadow->channels.reset();
  EXPECT_FALSE(WorstLostChannels(result).has_value());
}

}  // namespace
}  // namespace ns
