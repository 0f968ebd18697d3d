#include "ns/quantization/eager/module_qconfig.h"

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/hierarchy/module_editor.h"
#include "ns/eager/module_tree.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

// The qconfig of a path goes before that of a type, and both before that of the
// module around; an absent one leaves modules in float.
TEST(ModuleQConfigTest, TheNarrowestQConfigDecides) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(TwoLinears()));
  NS_ASSERT_OK(SetQConfig(editor, "dequant", PerChannelDynamicQConfig()));
  NS_ASSERT_OK(PropagateQConfig(editor, {{"", DefaultQConfig()},
                                         {"Linear", DefaultPerChannelQConfig()},
                                         {"b", std::nullopt}}));
  const auto qconfig = [&](const std::string& path) {
    return OrThrow(QConfigOf(OrThrow(editor.At(path))));
  };
  EXPECT_EQ(qconfig("quant"), OptionalQConfig(DefaultQConfig()));
  EXPECT_EQ(qconfig("a"), OptionalQConfig(DefaultPerChannelQConfig()));
  EXPECT_EQ(qconfig("b"), std::nullopt);
  EXPECT_EQ(qconfig("dequant"), OptionalQConfig(PerChannelDynamicQConfig()));
  NS_ASSERT_OK(RemoveQConfigs(editor));
  EXPECT_EQ(qconfig("a"), std::nullopt);
}

TEST(ModuleQConfigTest, ChildrenOfNonTraceableModulesHaveNone) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(TwoLinears()));
  NS_ASSERT_OK(PropagateQConfig(editor, {{"", DefaultQConfig()}},
                                {{"a"}, {"QuantStub"}}));
  EXPECT_FALSE(OrThrow(editor.At("a")).hasattr(kQConfigAttribute));
  EXPECT_FALSE(OrThrow(editor.At("quant")).hasattr(kQConfigAttribute));
  EXPECT_TRUE(OrThrow(editor.At("b")).hasattr(kQConfigAttribute));
}

TEST(ModuleQConfigTest, RulesSayWhatDecides) {
  const QConfigSpec spec = {{"", DefaultQConfig()},
                            {"Linear", DefaultQConfig()},
                            {"torch.nn.Linear", std::nullopt},
                            {"b", std::nullopt}};
  const std::map<std::string, std::string> types = TypesByPath(TwoLinears());
  EXPECT_EQ(RuleFor(spec, types, "quant"), "global");
  EXPECT_EQ(RuleFor(spec, types, "b"), "module name 'b'");
  EXPECT_EQ(RuleFor({{"c", std::nullopt}}, types, "b"), "");
  // The longest name of a type is the rule, and what it says is done.
  const QConfigSpec by_type = {
      {"Linear", DefaultQConfig()},
      {"torch.nn.modules.linear.Linear", std::nullopt}};
  EXPECT_EQ(RuleFor(by_type, types, "a"),
            "object type 'torch.nn.modules.linear.Linear'");
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(TwoLinears()));
  NS_ASSERT_OK(PropagateQConfig(editor, by_type));
  EXPECT_EQ(OrThrow(QConfigOf(OrThrow(editor.At("a")))), std::nullopt);
}

TEST(ModuleQConfigTest, AMappingBecomesASpec) {
  QConfigMapping mapping;
  mapping.SetGlobal(DefaultQConfig())
      .SetObjectType("Linear", std::nullopt)
      .SetModuleName("a", DefaultPerChannelQConfig());
  EXPECT_EQ(OrThrow(SpecOf(mapping)),
            (QConfigSpec{{"", DefaultQConfig()},
                         {"Linear", std::nullopt},
                         {"a", DefaultPerChannelQConfig()}}));
  mapping.SetModuleNameRegex("a.*", std::nullopt);
  EXPECT_THAT(MessageOf(SpecOf(mapping)),
              HasSubstr("give module_name and object_type"));
}

}  // namespace
}  // namespace ns
