#include "ns/eager/output_module_types.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(OutputModuleTypesTest, AreSortedAndUnique) {
  const auto types = DefaultOutputModuleTypes();
  EXPECT_TRUE(std::is_sorted(types.begin(), types.end()));
  EXPECT_EQ(std::adjacent_find(types.begin(), types.end()), types.end());
}

TEST(OutputModuleTypesTest, AreQualifiedWithoutAo) {
  for (const absl::string_view type : DefaultOutputModuleTypes()) {
    EXPECT_TRUE(absl::StartsWith(type, "torch.")) << type;
    EXPECT_FALSE(absl::StartsWith(type, "torch.ao.")) << type;
  }
}

TEST(OutputModuleTypesTest, NoneIsNeverLogged) {
  for (const absl::string_view type : DefaultOutputModuleTypes()) {
    EXPECT_FALSE(IsNeverLogged(type)) << type;
  }
}

TEST(OutputModuleTypesTest, StubsThatComputeNothingAreNeverLogged) {
  EXPECT_TRUE(IsNeverLogged("torch.ao.quantization.stubs.DeQuantStub"));
  EXPECT_TRUE(IsNeverLogged("torch.nn.modules.dropout.Dropout"));
  EXPECT_TRUE(IsNeverLogged("torch.nn.modules.linear.Identity"));
  EXPECT_TRUE(IsNeverLogged("torch.ao.nn.quantized.modules.dropout.Dropout"));
  EXPECT_FALSE(IsNeverLogged("torch.ao.nn.quantized.modules.Quantize"));
}

}  // namespace
}  // namespace ns
