#include "ns/quantization/eager/module_mappings.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/eager/quantized_types.h"

namespace ns {
namespace {

using ::testing::Contains;

// As many as in torch/ao/quantization/quantization_mappings.py.
TEST(ModuleMappingsTest, HasAllOfPyTorchs) {
  EXPECT_EQ(GetDefaultStaticQuantModuleMappings().size(), 45);
  EXPECT_EQ(GetDefaultQatModuleMappings().size(), 14);
  EXPECT_EQ(GetDefaultDynamicQuantModuleMappings().size(), 11);
  EXPECT_EQ(GetDefaultQConfigPropagationList().size(), 59);
  EXPECT_THAT(GetDefaultQConfigPropagationList(),
              Contains("torch.nn.modules.container.Sequential"));
}

TEST(ModuleMappingsTest, AllQuantizedTypesCanBeMade) {
  for (const ModuleMapping* mapping :
       {&GetDefaultStaticQuantModuleMappings(),
        &GetDefaultDynamicQuantModuleMappings()}) {
    for (const auto& [from, to] : *mapping) {
      EXPECT_NE(FindQuantizedType(to), nullptr) << to;
    }
  }
  EXPECT_EQ(FindQuantizedType("my.Linear"), nullptr);
}

TEST(ModuleMappingsTest, FindsTypesByEitherSpelling) {
  const ModuleMapping& mapping = GetDefaultStaticQuantModuleMappings();
  EXPECT_EQ(MappedType(mapping, "torch.nn.intrinsic.modules.fused.ConvReLU2d"),
            "torch.nn.intrinsic.quantized.modules.conv_relu.ConvReLU2d");
  EXPECT_EQ(MappedType(mapping, "torch.nn.modules.activation.ReLU"), "");
}

TEST(ModuleMappingsTest, AWholeNameCountsBeforeALastPart) {
  const std::string type = "torch.nn.quantizable.modules.rnn.LSTM";
  const std::string respelled = "torch.ao.nn.quantizable.modules.rnn.LSTM";
  EXPECT_EQ(MappedType({{"LSTM", "part"}, {type, "whole"}}, type), "whole");
  EXPECT_EQ(MappedType({{"LSTM", "part"}, {respelled, "whole"}}, type),
            "whole");
  EXPECT_EQ(MappedType({{respelled, "other"}, {type, "exact"}}, type), "exact");
  EXPECT_EQ(MappedType({{"LSTM", "part"}, {"GRU", "other"}}, type), "part");
}

}  // namespace
}  // namespace ns
