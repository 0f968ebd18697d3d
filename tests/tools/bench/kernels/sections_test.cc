#include "tools/bench/kernels/sections.h"

#include <gtest/gtest.h>

namespace ns::bench {
namespace {

TEST(SectionsTest, EverySectionHasLayers) {
  for (const std::string& name : LayerSections()) {
    EXPECT_FALSE(SectionsOf(name, {}).empty()) << name;
  }
  EXPECT_TRUE(SectionsOf("other", {}).empty());
}

TEST(SectionsTest, LinearIsWarmAndCold) {
  const std::vector<Section> sections = SectionsOf("linear", {});
  ASSERT_EQ(sections.size(), 2);
  EXPECT_FALSE(sections[0].cold);
  EXPECT_TRUE(sections[1].cold);
}

TEST(SectionsTest, ModelsHaveASectionForEachBatch) {
  const std::vector<Section> sections = SectionsOf("resnet50", {});
  ASSERT_EQ(sections.size(), 2);
  EXPECT_EQ(sections[0].name, "resnet50 batch 1");
  EXPECT_EQ(sections[1].name, "resnet50 batch 8");
  EXPECT_EQ(sections[1].layers[0].batch, 8);
}

TEST(SectionsTest, ColdMakesAllOfThemCold) {
  SectionOptions options;
  options.cold = true;
  for (const std::string& name : LayerSections()) {
    for (const Section& section : SectionsOf(name, options)) {
      EXPECT_TRUE(section.cold) << section.name;
    }
  }
}

TEST(SectionsTest, FilterKeepsLayersWithItInTheirNames) {
  SectionOptions options;
  options.filter = ",3072,";
  const std::vector<Section> sections = SectionsOf("linear", options);
  ASSERT_EQ(sections.size(), 2);
  EXPECT_EQ(sections[0].layers.size(), 2);
  options.filter = "none like this";
  EXPECT_TRUE(SectionsOf("linear", options).empty());
}

TEST(SectionsTest, LimitsKeepTheFirstSmallLayers) {
  SectionOptions options;
  options.most_operations = 2e7;
  options.most_layers = 2;
  for (const std::string& name : LayerSections()) {
    for (const Section& section : SectionsOf(name, options)) {
      EXPECT_LE(section.layers.size(), 2);
      for (const Layer& layer : section.layers) {
        EXPECT_LE(Operations(layer), 2e7) << layer.name;
      }
    }
  }
}

}  // namespace
}  // namespace ns::bench
