#include "ns/n_shadows/qconfig_multi_mapping.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

const QConfig kStatic = Int8PerTensorQConfig();
const QConfig kPerChannel = Int8PerChannelQConfig();
const QConfig kDynamic = DynamicQConfig();
const OptionalQConfig kNone;

TEST(QConfigMultiMappingTest, StartsWithOneMappingOfNothing) {
  EXPECT_THAT(QConfigMultiMapping().mappings(), ElementsAre(QConfigMapping()));
}

TEST(QConfigMultiMappingTest, EachMappingHasOneOfTheQConfigs) {
  EXPECT_THAT(QConfigMultiMapping().SetGlobal({kStatic, kDynamic}).mappings(),
              ElementsAre(QConfigMapping().SetGlobal(kStatic),
                          QConfigMapping().SetGlobal(kDynamic)));
}

TEST(QConfigMultiMappingTest, DuplicatesGo) {
  EXPECT_THAT(QConfigMultiMapping().SetGlobal({kStatic, kStatic}).mappings(),
              SizeIs(1));
  // Also behind an absent one.
  EXPECT_THAT(QConfigMultiMapping()
                  .SetGlobal({kNone, kStatic, kDynamic, kStatic, kNone})
                  .mappings(),
              ElementsAre(QConfigMapping().SetGlobal(kStatic),
                          QConfigMapping().SetGlobal(kDynamic)));
}

// Whatever the kind of setting: the second mapping has its key, without a
// qconfig.
void ExpectPadded(const QConfigMultiMapping& multi) {
  ASSERT_THAT(multi.mappings(), SizeIs(2));
  const QConfigMapping& first = multi.mappings()[0];
  const QConfigMapping& second = multi.mappings()[1];
  EXPECT_EQ(first.global(), kStatic);
  EXPECT_EQ(second.global(), kDynamic);
  EXPECT_THAT(first.object_types(), ElementsAre(Pair("Linear", kStatic)));
  EXPECT_THAT(second.object_types(), ElementsAre(Pair("Linear", kNone)));
  EXPECT_THAT(second.module_name_regexes(), ElementsAre(Pair("fc", kNone)));
  EXPECT_THAT(second.module_names(), ElementsAre(Pair("fc2", kNone)));
  EXPECT_THAT(
      second.module_name_object_type_orders(),
      ElementsAre(Pair(QConfigMapping::OrderKey{"", "Linear", 0}, kNone)));
}

TEST(QConfigMultiMappingTest, ShorterListsArePadded) {
  ExpectPadded(QConfigMultiMapping()
                   .SetGlobal({kStatic, kDynamic})
                   .SetObjectType("Linear", {kStatic})
                   .SetModuleNameRegex("fc", {kStatic})
                   .SetModuleName("fc2", {kStatic})
                   .SetModuleNameObjectTypeOrder("", "Linear", 0, {kStatic}));
}

TEST(QConfigMultiMappingTest, OlderSettingsArePaddedWhenALongerListComes) {
  ExpectPadded(QConfigMultiMapping()
                   .SetObjectType("Linear", {kStatic})
                   .SetModuleNameRegex("fc", {kStatic})
                   .SetModuleName("fc2", {kStatic})
                   .SetModuleNameObjectTypeOrder("", "Linear", 0, {kStatic})
                   .SetGlobal({kStatic, kDynamic}));
}

TEST(QConfigMultiMappingTest, PaddingKeepsWiderSettingsOut) {
  const QConfigMultiMapping multi = QConfigMultiMapping()
                                        .SetGlobal({kStatic, kDynamic})
                                        .SetModuleName("fc2", {kStatic});
  const QConfigTarget fc2 = {"aten::linear", "linear", "fc2", "Linear", 0};
  EXPECT_EQ(multi.mappings()[0].Choose(fc2).qconfig, kStatic);
  EXPECT_EQ(multi.mappings()[1].Choose(fc2).qconfig, kNone);
}

TEST(QConfigMultiMappingTest, OrderIgnoresAbsentOnes) {
  const QConfigMultiMapping multi =
      QConfigMultiMapping()
          .SetGlobal({kStatic, kDynamic})
          .SetModuleName("fc2", {kNone, kDynamic, kPerChannel});
  ASSERT_THAT(multi.mappings(), SizeIs(2));
  EXPECT_THAT(multi.mappings()[0].module_names(),
              ElementsAre(Pair("fc2", kDynamic)));
  EXPECT_THAT(multi.mappings()[1].module_names(),
              ElementsAre(Pair("fc2", kPerChannel)));
}

TEST(QConfigMultiMappingTest, ListOfMappingsIsPaddedToo) {
  const QConfigMultiMapping multi =
      QConfigMultiMapping::FromListOfQConfigMapping(
          {QConfigMapping().SetGlobal(kStatic),
           QConfigMapping().SetGlobal(kDynamic).SetModuleName("fc2", kStatic)});
  EXPECT_EQ(multi, QConfigMultiMapping()
                       .SetGlobal({kStatic, kDynamic})
                       .SetModuleName("fc2", {kStatic}));
}

TEST(QConfigMultiMappingTest, ListOfMappingsHasEveryKindOfSetting) {
  const auto mapping = [](const QConfig& qconfig) {
    return QConfigMapping()
        .SetGlobal(qconfig)
        .SetObjectType("linear", qconfig)
        .SetModuleNameRegex("a", qconfig)
        .SetModuleName("b", qconfig)
        .SetModuleNameObjectTypeOrder("c", "add", 1, qconfig);
  };
  const std::vector<QConfigMapping> mappings = {mapping(kStatic),
                                                mapping(kDynamic)};
  EXPECT_EQ(QConfigMultiMapping::FromListOfQConfigMapping(mappings).mappings(),
            mappings);
  EXPECT_EQ(QConfigMultiMapping::FromListOfQConfigMapping({}),
            QConfigMultiMapping());
}

TEST(QConfigMultiMappingTest, EqualMeansEqualMappings) {
  EXPECT_EQ(QConfigMultiMapping().SetGlobal({kStatic, kStatic}),
            QConfigMultiMapping().SetGlobal({kStatic}));
  EXPECT_NE(QConfigMultiMapping().SetGlobal({kStatic, kDynamic}),
            QConfigMultiMapping().SetGlobal({kDynamic, kStatic}));
}

TEST(QConfigMultiMappingTest, TextHasEveryMapping) {
  EXPECT_EQ(QConfigMultiMapping()
                .SetGlobal({kStatic, kDynamic})
                .SetModuleName("fc2", {kNone, kDynamic})
                .ToString(),
            "candidate 0\n"
            "global: int8 per tensor\n"
            "module name 'fc2': dynamic\n"
            "candidate 1\n"
            "global: dynamic\n"
            "module name 'fc2': none\n");
}

}  // namespace
}  // namespace ns
