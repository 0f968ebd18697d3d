#include "passes/quantization/qconfig/qconfig_mapping.h"

#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

const QConfig kStatic = Int8PerTensorQConfig();
const QConfig kPerChannel = Int8PerChannelQConfig();
const QConfig kDynamic = DynamicQConfig();
const QConfig kHalf = Fp16QConfig();

QConfigTarget Fc(const std::string& fqn = "head.fc", int order = 0) {
  return {"aten::linear", "linear", fqn, "torch.nn.modules.linear.Linear",
          order};
}

TEST(QConfigMappingTest, EmptyChoosesNothing) {
  const QConfigChoice choice = QConfigMapping().Choose(Fc());
  EXPECT_EQ(choice.qconfig, std::nullopt);
  EXPECT_EQ(choice.setting, QConfigSetting::kNone);
}

TEST(QConfigMappingTest, NarrowerSettingsDecide) {
  QConfigMapping mapping;
  mapping.SetGlobal(kStatic);
  EXPECT_EQ(mapping.Choose(Fc()).qconfig, kStatic);
  mapping.SetObjectType("linear", kPerChannel);
  EXPECT_EQ(mapping.Choose(Fc()).qconfig, kPerChannel);
  mapping.SetModuleNameRegex("head.*", kDynamic);
  EXPECT_EQ(mapping.Choose(Fc()).qconfig, kDynamic);
  mapping.SetModuleName("head.fc", kHalf);
  EXPECT_EQ(mapping.Choose(Fc()).qconfig, kHalf);
  mapping.SetModuleNameObjectTypeOrder("head.fc", "linear", 0, kStatic);
  EXPECT_EQ(mapping.Choose(Fc()).qconfig, kStatic);
  EXPECT_EQ(mapping.Choose(Fc("head.fc", 1)).qconfig, kHalf);
}

TEST(QConfigMappingTest, ChoiceNamesTheSettingThatDecided) {
  QConfigMapping mapping;
  EXPECT_EQ(mapping.Choose(Fc()).rule, "");
  mapping.SetGlobal(kStatic);
  EXPECT_EQ(mapping.Choose(Fc()).rule, "global");
  mapping.SetObjectType("linear", std::nullopt);
  EXPECT_EQ(mapping.Choose(Fc()).rule, "object type 'linear'");
  mapping.SetObjectType("Linear", kPerChannel);
  EXPECT_EQ(mapping.Choose(Fc()).rule, "object type 'Linear'");
  mapping.SetModuleNameRegex("head.*", kDynamic);
  EXPECT_EQ(mapping.Choose(Fc()).rule, "module name regex 'head.*'");
  mapping.SetModuleName("head", kHalf);
  EXPECT_EQ(mapping.Choose(Fc()).rule, "module name 'head'");
  mapping.SetModuleNameObjectTypeOrder("head.fc", "linear", 0, kStatic);
  EXPECT_EQ(mapping.Choose(Fc()).rule,
            "object type 'linear' number 0 in module 'head.fc'");
}

TEST(QConfigMappingTest, OpDecidesBeforeWiderTypesOfOneOpOfAModule) {
  QConfigMapping mapping;
  mapping.SetModuleNameObjectTypeOrder("head.fc", "Linear", 0, kStatic)
      .SetModuleNameObjectTypeOrder("head.fc", "linear", 0, kHalf);
  EXPECT_EQ(mapping.Choose(Fc()).qconfig, kStatic);
  mapping.SetModuleNameObjectTypeOrder("head.fc", "aten::linear", 0, kDynamic);
  EXPECT_EQ(mapping.Choose(Fc()).qconfig, kDynamic);
  EXPECT_EQ(mapping.Choose(Fc()).rule,
            "object type 'aten::linear' number 0 in module 'head.fc'");
}

TEST(QConfigMappingTest, NoQConfigIsASettingToo) {
  QConfigMapping mapping;
  mapping.SetGlobal(kStatic).SetModuleName("head.fc", std::nullopt);
  EXPECT_EQ(mapping.Choose(Fc()).qconfig, std::nullopt);
  EXPECT_EQ(mapping.Choose(Fc()).setting, QConfigSetting::kModuleName);
  EXPECT_EQ(mapping.Choose(Fc("head.fc2")).qconfig, kStatic);
}

TEST(QConfigMappingTest, ObjectTypesAreOpsFamiliesOrModuleTypes) {
  for (const char* type : {"aten::linear", "linear", "Linear", "linear.Linear",
                           "torch.nn.modules.linear.Linear"}) {
    EXPECT_EQ(QConfigMapping().SetObjectType(type, kHalf).Choose(Fc()).qconfig,
              kHalf)
        << type;
  }
  for (const char* type : {"near", "inear", "conv2d", "modules.linear", ""}) {
    EXPECT_EQ(QConfigMapping().SetObjectType(type, kHalf).Choose(Fc()).qconfig,
              std::nullopt)
        << type;
  }
}

TEST(QConfigMappingTest, ObjectTypesMayBeNamesOfPython) {
  for (const char* type :
       {"torch.nn.Linear", "nn.Linear", "torch.nn.functional.linear",
        "nn.functional.linear", "F.linear", "torch.ops.aten.linear"}) {
    EXPECT_EQ(QConfigMapping().SetObjectType(type, kHalf).Choose(Fc()).qconfig,
              kHalf)
        << type;
  }
  for (const char* type :
       {"torch.nn.linear.Linear", "nn.near", "torch.nn.", "torch.", "F.",
        "torch.nn.functional.relu", "linear_", "torch.linear_"}) {
    EXPECT_EQ(QConfigMapping().SetObjectType(type, kHalf).Choose(Fc()).qconfig,
              std::nullopt)
        << type;
  }
}

TEST(QConfigMappingTest, FunctionsOfPythonAreOpsWithoutAModule) {
  const QConfigTarget add = {"aten::add_", "add", "block", "Block", 0};
  for (const char* type : {"operator.add", "_operator.add", "torch.add",
                           "torch.Tensor.add_", "add_"}) {
    EXPECT_EQ(QConfigMapping().SetObjectType(type, kHalf).Choose(add).qconfig,
              kHalf)
        << type;
  }
  const QConfigTarget own = {"my::op", "", "block", "Block", 0};
  for (const char* type : {"", "torch.", "F."}) {
    EXPECT_EQ(QConfigMapping().SetObjectType(type, kHalf).Choose(own).qconfig,
              std::nullopt)
        << type;
  }
}

TEST(QConfigMappingTest, OwnModulesAreNoneOfPyTorchs) {
  const QConfigTarget own = {"aten::linear", "linear", "fc", "my.lib.Linear",
                             0};
  EXPECT_EQ(
      QConfigMapping().SetObjectType("nn.Linear", kHalf).Choose(own).qconfig,
      std::nullopt);
  EXPECT_EQ(
      QConfigMapping().SetObjectType("lib.Linear", kHalf).Choose(own).qconfig,
      kHalf);
}

TEST(QConfigMappingTest, RuleIsTheSettingThatDecided) {
  QConfigMapping mapping;
  EXPECT_EQ(mapping.Choose(Fc()).rule, "");
  mapping.SetGlobal(kStatic);
  EXPECT_EQ(mapping.Choose(Fc()).rule, "global");
  mapping.SetObjectType("linear", kPerChannel);
  EXPECT_EQ(mapping.Choose(Fc()).rule, "object type 'linear'");
  mapping.SetObjectType("Linear", std::nullopt);
  EXPECT_EQ(mapping.Choose(Fc()).rule, "object type 'Linear'");
  mapping.SetModuleNameRegex("head.*", kDynamic);
  EXPECT_EQ(mapping.Choose(Fc()).rule, "module name regex 'head.*'");
  mapping.SetModuleName("head", kHalf);
  EXPECT_EQ(mapping.Choose(Fc()).rule, "module name 'head'");
  mapping.SetModuleName("head.fc", kHalf);
  EXPECT_EQ(mapping.Choose(Fc()).rule, "module name 'head.fc'");
  mapping.SetModuleNameObjectTypeOrder("head.fc", "linear", 0, kStatic);
  EXPECT_EQ(mapping.Choose(Fc()).rule,
            "object type 'linear' number 0 in module 'head.fc'");
}

TEST(QConfigMappingTest, EveryRuleIsALineOfTheText) {
  QConfigMapping mapping;
  const auto expect_line = [&] {
    EXPECT_THAT("\n" + mapping.ToString(),
                HasSubstr("\n" + mapping.Choose(Fc()).rule + ": "));
  };
  mapping.SetGlobal(kStatic);
  expect_line();
  mapping.SetObjectType("linear", kPerChannel);
  expect_line();
  mapping.SetModuleNameRegex("h.*", kDynamic);
  expect_line();
  mapping.SetModuleName("head", kHalf);
  expect_line();
  mapping.SetModuleNameObjectTypeOrder("head.fc", "linear", 0, kStatic);
  expect_line();
}

TEST(QConfigMappingTest, ModuleTypeDecidesBeforeOp) {
  EXPECT_EQ(QConfigMapping()
                .SetObjectType("linear", kHalf)
                .SetObjectType("Linear", std::nullopt)
                .Choose(Fc())
                .setting,
            QConfigSetting::kObjectType);
  EXPECT_EQ(QConfigMapping()
                .SetObjectType("linear", kHalf)
                .SetObjectType("Linear", std::nullopt)
                .Choose(Fc())
                .qconfig,
            std::nullopt);
}

TEST(QConfigMappingTest, RegexMatchesFromTheStartAndTheFirstDecides) {
  QConfigMapping mapping;
  mapping.SetModuleNameRegex("fc", kHalf)
      .SetModuleNameRegex("head\\.fc[0-9]?$", kDynamic)
      .SetModuleNameRegex("head", kStatic);
  EXPECT_EQ(mapping.Choose(Fc()).qconfig, kDynamic);
  EXPECT_EQ(mapping.Choose(Fc("head.fc3")).qconfig, kDynamic);
  EXPECT_EQ(mapping.Choose(Fc("head.fc33")).qconfig, kStatic);
  EXPECT_EQ(mapping.Choose(Fc("fc.1")).qconfig, kHalf);
}

TEST(QConfigMappingTest, ClosestModuleAroundAnOpDecides) {
  QConfigMapping mapping;
  mapping.SetModuleName("head", kDynamic).SetModuleName("", kHalf);
  EXPECT_EQ(mapping.Choose(Fc()).qconfig, kDynamic);
  EXPECT_FALSE(mapping.Choose(Fc()).names_target);
  EXPECT_EQ(mapping.Choose(Fc("header.fc")).qconfig, kHalf);
  mapping.SetModuleName("head.fc", kStatic);
  EXPECT_EQ(mapping.Choose(Fc()).qconfig, kStatic);
  EXPECT_TRUE(mapping.Choose(Fc()).names_target);
}

TEST(QConfigMappingTest, SettingAgainReplaces) {
  QConfigMapping mapping;
  mapping.SetObjectType("linear", kHalf).SetObjectType("linear", kDynamic);
  EXPECT_EQ(mapping.Choose(Fc()).qconfig, kDynamic);
  EXPECT_EQ(mapping.object_types().size(), 1);
}

TEST(QConfigMappingTest, EqualMeansEqualSettings) {
  EXPECT_EQ(QConfigMapping().SetModuleName("a", kHalf),
            QConfigMapping().SetModuleName("a", kHalf));
  EXPECT_NE(QConfigMapping().SetModuleName("a", kHalf),
            QConfigMapping().SetModuleName("a", std::nullopt));
  EXPECT_NE(QConfigMapping().SetModuleName("a", kHalf),
            QConfigMapping().SetModuleNameRegex("a", kHalf));
}

TEST(QConfigMappingTest, WithChangesEachQConfigOfACopy) {
  const auto settings = [](const OptionalQConfig& qconfig) {
    return QConfigMapping()
        .SetGlobal(qconfig)
        .SetObjectType("linear", qconfig)
        .SetObjectType("conv2d", std::nullopt)
        .SetModuleNameRegex("a.*", qconfig)
        .SetModuleName("b", qconfig)
        .SetModuleNameObjectTypeOrder("c", "add", 2, qconfig);
  };
  const QConfigMapping mapping = settings(kStatic);
  int calls = 0;
  const QConfigMapping changed = mapping.With([&](QConfig qconfig) {
    EXPECT_EQ(qconfig, kStatic);
    ++calls;
    return kDynamic;
  });
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(changed, settings(kDynamic));
  EXPECT_EQ(mapping, settings(kStatic));
}

TEST(QConfigMappingTest, WithLeavesNoQConfigAlone) {
  const QConfigMapping none = QConfigMapping().SetModuleName("a", std::nullopt);
  EXPECT_EQ(none.With([](QConfig) { return kStatic; }), none);
  EXPECT_EQ(QConfigMapping().With([](QConfig) { return kStatic; }),
            QConfigMapping());
}

TEST(QConfigMappingTest, WithoutLeavesOutRulesByName) {
  const QConfigMapping mapping =
      QConfigMapping()
          .SetGlobal(kStatic)
          .SetObjectType("linear", kDynamic)
          .SetObjectType("conv2d", kDynamic)
          .SetModuleNameRegex("a.*", kHalf)
          .SetModuleName("b", std::nullopt)
          .SetModuleNameObjectTypeOrder("c", "add", 2, kStatic);
  EXPECT_EQ(mapping.Without({}), mapping);
  EXPECT_EQ(mapping.Without({"global", "object type 'linear'",
                             "module name regex 'a.*'", "module name 'x'"}),
            QConfigMapping()
                .SetObjectType("conv2d", kDynamic)
                .SetModuleName("b", std::nullopt)
                .SetModuleNameObjectTypeOrder("c", "add", 2, kStatic));
  EXPECT_EQ(mapping.Without({"module name 'b'", "object type 'conv2d'",
                             "object type 'add' number 2 in module 'c'"}),
            QConfigMapping()
                .SetGlobal(kStatic)
                .SetObjectType("linear", kDynamic)
                .SetModuleNameRegex("a.*", kHalf));
}

TEST(QConfigMappingTest, TextHasALineForEachSetting) {
  EXPECT_EQ(QConfigMapping()
                .SetGlobal(kStatic)
                .SetObjectType("linear", kDynamic)
                .SetModuleNameRegex("a.*", kHalf)
                .SetModuleName("b", std::nullopt)
                .SetModuleNameObjectTypeOrder("c", "add", 2, kStatic)
                .ToString(),
            "global: int8 per tensor\n"
            "object type 'linear': dynamic\n"
            "module name regex 'a.*': fp16\n"
            "module name 'b': none\n"
            "object type 'add' number 2 in module 'c': int8 per tensor\n");
}

TEST(QConfigMappingTest, BadRegexIsAnErrorThatNamesIt) {
  NS_EXPECT_OK(QConfigMapping().SetModuleNameRegex("a.*", kHalf).Validate());
  EXPECT_THAT(std::string(QConfigMapping()
                              .SetModuleNameRegex(std::string(1001, '('), kHalf)
                              .Validate()
                              .message()),
              HasSubstr("is longer than 1000 characters"));
  EXPECT_THAT(std::string(QConfigMapping()
                              .SetModuleNameRegex("a[", kHalf)
                              .Validate()
                              .message()),
              HasSubstr("'a['"));
}

}  // namespace
}  // namespace ns
