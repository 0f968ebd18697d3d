#include "ns/findings/output_view.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/result/comparison_result.h"

namespace ns {
namespace {

using ::testing::SizeIs;

TEST(OutputViewTest, HasTheFirstAndThenTheOthers) {
  LayerComparison layer;
  layer.name = "rnn";
  layer.outputs.resize(2);
  const std::vector<OutputView> views = OutputViews(layer);
  ASSERT_THAT(views, SizeIs(3));
  EXPECT_EQ(views[0].other, nullptr);
  EXPECT_EQ(views[0].activation, &layer.activation);
  EXPECT_EQ(views[0].shadow, &layer.shadow);
  EXPECT_EQ(views[0].inherited, &layer.inherited);
  for (size_t i = 0; i < 2; ++i) {
    const OutputComparison& other = layer.outputs[i];
    EXPECT_EQ(views[i + 1].other, &other);
    EXPECT_EQ(views[i + 1].activation, &other.activation);
    EXPECT_EQ(views[i + 1].shadow, &other.shadow);
    EXPECT_EQ(views[i + 1].inherited, &other.inherited);
  }
}

TEST(OutputLabelTest, NamesOtherOutputsAndEscapes) {
  LayerComparison layer;
  layer.name = "r\nnn";
  OutputComparison other;
  other.name = "c_n";
  EXPECT_EQ(OutputLabel(layer, nullptr), "r\\x0ann");
  EXPECT_EQ(OutputLabel(layer, &other), "r\\x0ann (c_n)");
}

}  // namespace
}  // namespace ns
