#include "ns/n_shadows/shadow_attributes.h"

#include <map>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ShadowAttributesTest, ModelNamesAreReadBack) {
  EXPECT_EQ(ShadowModelName({3, 1}), "subgraph_3_1");
  const std::optional<ShadowIndex> index = ParseShadowModelName("subgraph_3_1");
  ASSERT_TRUE(index.has_value());
  EXPECT_EQ(index->subgraph, 3);
  EXPECT_EQ(index->candidate, 1);
}

TEST(ShadowAttributesTest, OtherNamesAreNone) {
  for (const char* name : {"", "float", "subgraph_", "subgraph_1",
                           "subgraph_1_2_3", "subgraph_a_1", "subgraph_1_"}) {
    EXPECT_FALSE(ParseShadowModelName(name).has_value()) << name;
  }
}

TEST(ShadowAttributesTest, CandidateNamesMarkAModule) {
  torch::jit::Module module("__torch__.M");
  EXPECT_EQ(AttachedCandidateNames(module), std::nullopt);
  const std::map<std::string, std::string> names = {{"subgraph_0_1", "dynamic"},
                                                    {"subgraph_0_2", "fp16"}};
  AttachCandidateNames(module, names);
  EXPECT_EQ(AttachedCandidateNames(module), names);
}

}  // namespace
}  // namespace ns
