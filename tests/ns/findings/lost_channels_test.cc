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

TEST(LostChannelsTest, ARangeThatFitsNoChannelIsNotThatOfAFew) {
  EXPECT_FALSE(LosesChannels(WithChannels(Broken("relu6", 21, 21, 31), 1, 64)));
}

TEST(LostChannelsTest, OutputsOfTheModelMissAllChannels) {
  ComparisonResult result =
      WithShadows({WithChannels(Broken("a", 40, 40, 50), 2, 40),
                   WithChannels(Broken("b", 50, 50, 50), 1, 40),
                   WithChannels(Broken("c", 50, 50, 50), 40, 0)});
  ASSERT_TRUE(WorstLostChannels(result).has_value());
  EXPECT_EQ(WorstLostChannels(result)->layer, 1);
  EXPECT_EQ(WorstLostChannels(result)->sqnr_db, 1);
  result.layers[1].unpaired_input = "the float model has aten::relu there";
  EXPECT_EQ(WorstLostChannels(result)->layer, 0);
  result.layers[0].shadow->channels.reset();
  EXPECT_FALSE(WorstLostChannels(result).has_value());
}

TEST(LostChannelsTest, ChannelsThatNoReaderNeedsAreNotMissed) {
  const LayerComparison gate =
      WithChannels(Broken("sigmoid", 40, 42, 45), 1, 40);
  // The product has what the sigmoid has.
  EXPECT_FALSE(
      WorstLostChannels(WithShadows({gate, Broken("mul", 38, 45, 39, {0})})));
  const auto missed =
      WorstLostChannels(WithShadows({gate, Broken("fc", 12, 45, 13, {0})}));
  ASSERT_TRUE(missed.has_value());
  EXPECT_EQ(missed->layer, 0);
  EXPECT_EQ(missed->sqnr_db, 13);
  // What flows in besides may be worse.
  EXPECT_FALSE(WorstLostChannels(WithShadows(
      {gate, Broken("x", 14, 40, 14), Broken("mul", 12, 45, 13, {0, 1})})));
  // An activation hands the channels on.
  EXPECT_TRUE(
      WorstLostChannels(WithShadows({gate, Broken("gelu", 39, 45, 39.5, {0}),
                                     Broken("fc", 12, 45, 13, {1})})));
  // Views hand the channels on.
  LayerComparison view = Broken("view", 40, kInfinity, 40, {0});
  EXPECT_TRUE(WorstLostChannels(
      WithShadows({gate, view, Broken("fc", 12, 45, 13, {1})})));
}

TEST(LostChannelsTest, AFewDeadChannelsCountWhereTheyAreMissed) {
  LayerComparison head = WithChannels(Broken("head", 40, 42, 45), 40, 4);
  EXPECT_FALSE(WorstDeadChannels(WithShadows({head})).has_value());
  head.shadow->channels->dead = 3;
  EXPECT_FALSE(WorstDeadChannels(WithShadows({head})).has_value());
  head.shadow->channels->dead = 4;
  ASSERT_TRUE(WorstDeadChannels(WithShadows({head})).has_value());
  EXPECT_EQ(WorstDeadChannels(WithShadows({head}))->sqnr_db, 0);
  EXPECT_FALSE(
      WorstDeadChannels(WithShadows({head, Broken("fc", 38, 45, 39, {0})})));
  const auto missed =
      WorstDeadChannels(WithShadows({head, Broken("fc", 12, 45, 13, {0})}));
  ASSERT_TRUE(missed.has_value());
  EXPECT_EQ(missed->sqnr_db, 13);
}

}  // namespace
}  // namespace ns
