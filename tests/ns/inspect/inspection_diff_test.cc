#include "ns/inspect/inspection_diff.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

InspectedLayer Layer(const std::string& name, double scale,
                     int64_t zero_point) {
  InspectedLayer layer;
  layer.name = name;
  layer.op = "quantized::linear";
  layer.weights = {{"weight", {3, 4}, "qint8", ScaleRange{0.25, 0.5, 0, true}}};
  layer.output = ScaleRange{scale, scale, zero_point, false};
  layer.output_dtype = "quint8";
  return layer;
}

ModelInspection Model(std::vector<InspectedLayer> layers) {
  ModelInspection model;
  model.layers = std::move(layers);
  return model;
}

TEST(InspectionDiffTest, EqualModelsHaveNoDifference) {
  const ModelInspection model = Model({Layer("a", 0.5, 3)});
  const InspectionDiff diff = DiffInspections(model, model);
  EXPECT_TRUE(diff.IsEmpty());
  EXPECT_EQ(InspectionDiffTable(diff, {}), "1 layer in both: no difference\n");
  EXPECT_THAT(InspectionDiffJson(diff), HasSubstr("\"equal\": true"));
}

TEST(InspectionDiffTest, NamesWhatDiffersInEachPart) {
  InspectedLayer later = Layer("a", 0.5, 4);
  later.op = "quantized::linear_relu";
  later.weights[0].scale->highest = 1;
  later.weights.push_back({"bias", {3}, "float32", {}});
  const InspectionDiff diff =
      DiffInspections(Model({Layer("a", 0.5, 3)}), Model({later}));
  ASSERT_EQ(diff.differences.size(), 4U);
  EXPECT_EQ(diff.differences[0].part, "bias");
  EXPECT_EQ(diff.differences[0].a, "-");
  EXPECT_EQ(diff.differences[0].b, "float32 [3]");
  EXPECT_EQ(diff.differences[1].part, "op");
  EXPECT_EQ(diff.differences[2].part, "output");
  EXPECT_EQ(diff.differences[2].a, "quint8, scale 0.5, zero point 3");
  EXPECT_EQ(diff.differences[2].b, "quint8, scale 0.5, zero point 4");
  EXPECT_EQ(diff.differences[3].part, "weight");
  EXPECT_EQ(diff.differences[3].b,
            "qint8 [3, 4], scale 0.25 to 1, zero point 0");
}

// Four digits would show both as 0.1235.
TEST(InspectionDiffTest, ScalesAreShownToTheLastDigit) {
  const InspectionDiff diff = DiffInspections(
      Model({Layer("a", 0.12345678, 3)}), Model({Layer("a", 0.12345679, 3)}));
  ASSERT_EQ(diff.differences.size(), 1U);
  EXPECT_NE(diff.differences[0].a, diff.differences[0].b);
}

TEST(InspectionDiffTest, ListsNewAndVanishedLayers) {
  const InspectionDiff diff =
      DiffInspections(Model({Layer("a", 1, 0), Layer("x\x1b", 1, 0)}),
                      Model({Layer("y", 1, 0), Layer("a", 1, 0)}));
  EXPECT_THAT(diff.only_a, ElementsAre("x\x1b"));
  EXPECT_THAT(diff.only_b, ElementsAre("y"));
  EXPECT_THAT(diff.differences, IsEmpty());
  EXPECT_FALSE(diff.IsEmpty());
  EXPECT_EQ(InspectionDiffTable(diff, {}),
            "1 layer in both: no difference\n"
            "\n1 new, only in B:\n  y\n"
            "\n1 vanished, only in A:\n  x\\x1b\n");
}

}  // namespace
}  // namespace ns
