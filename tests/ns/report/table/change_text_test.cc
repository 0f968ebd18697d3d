#include "ns/report/table/change_text.h"

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/report/table/table_report.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A layer whose shadow has that SQNR.
LayerComparison Layer(double sqnr_db) {
  LayerComparison layer;
  layer.shadow.emplace();
  layer.shadow->error.sqnr_db = sqnr_db;
  return layer;
}

TriedChange Change(ChangeKind kind, double sqnr_db) {
  TriedChange change;
  change.kind = kind;
  change.sqnr_db = sqnr_db;
  return change;
}

TEST(ChangeTextTest, SaysWhatChangesAndWhatItGains) {
  LayerComparison layer = Layer(12.14);
  layer.qparams = LayerQParams{0.31, 64};
  TriedChange range = Change(ChangeKind::kRange, 33.44);
  range.qparams = LayerQParams{0.0241, 10};
  EXPECT_EQ(ChangeText(layer, range),
            "scale 0.31 -> 0.0241, zero point 64 -> 10: 12.1 -> 33.4 dB "
            "(+21.3)");
  range.qparams->zero_point = 64;
  EXPECT_EQ(ChangeText(layer, range),
            "scale 0.31 -> 0.0241: 12.1 -> 33.4 dB (+21.3)");
  // Only a run told the scale.
  layer.qparams.reset();
  EXPECT_EQ(ChangeText(layer, range),
            "scale 0.0241, zero point 64: 12.1 -> 33.4 dB (+21.3)");
  EXPECT_EQ(ChangeText(layer, Change(ChangeKind::kWeight, 10.14)),
            "its weight quantized by channel: 12.1 -> 10.1 dB (-2.0)");
  EXPECT_EQ(ChangeText(layer, Change(ChangeKind::kBias, INFINITY)),
            "the bias of the float layer: 12.1 -> exact");
}

TEST(ChangeTextTest, SmallGainsAreNotSuggested) {
  LayerComparison layer = Layer(30);
  layer.tried_changes = {Change(ChangeKind::kWeight, 30.4),
                         Change(ChangeKind::kBias, 25)};
  EXPECT_THAT(SuggestedChanges(layer), IsEmpty());
  layer.tried_changes.push_back(Change(ChangeKind::kWeight, 30.5));
  layer.tried_changes.push_back(Change(ChangeKind::kRange, INFINITY));
  const std::vector<TriedChange> suggested = SuggestedChanges(layer);
  ASSERT_THAT(suggested, SizeIs(2));
  EXPECT_EQ(suggested[0].kind, ChangeKind::kRange);
}

TEST(ChangeTextTest, TheTableNamesTheLargestGains) {
  ComparisonResult result;
  for (int i = 0; i < 7; ++i) {
    LayerComparison& layer = result.layers.emplace_back(Layer(20));
    layer.name = "fc" + std::to_string(i);
    layer.tried_changes = {Change(ChangeKind::kBias, 20 + i)};
  }
  const std::string table = ToTable(result, {});
  EXPECT_THAT(table, HasSubstr("measured gain           fc6  the bias of the "
                               "float layer: 20.0 -> 26.0 dB (+6.0)\n"
                               "measured gain           fc5"));
  EXPECT_THAT(table, Not(HasSubstr("fc1  the bias")));
  for (LayerComparison& layer : result.layers) {
    layer.tried_changes[0].sqnr_db = 20.1;
  }
  EXPECT_THAT(
      ToTable(result, {}),
      HasSubstr("measured gain           no other range, weight or bias"));
}

}  // namespace
}  // namespace ns
